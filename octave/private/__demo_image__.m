## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## I = __demo_image__ (n)
##
## A picture of n x n grey values from 0 to 1, in single: three lit balls on a tiled floor, traced
## with one ray per pixel.

function I = __demo_image__ (n)

  eye = [0, 1.4, -4];
  light = [-0.5, 0.75, -0.45];
  light /= norm (light);
  centre = [-1.15, 0.8, 0.6; 0.75, 0.55, -0.5; 0.9, 1.0, 1.9];
  radius = [0.8, 0.55, 1.0];
  colour = [0.95, 0.7, 0.45];

  ## One ray per row.
  [right, down] = meshgrid (linspace (-1, 1, n));
  ray = [right(:), -0.22 - down(:), 2 * ones(n ^ 2, 1)];
  ray ./= sqrt (sumsq (ray, 2));

  I = 0.55 + 0.3 * max (ray(:,2), 0);  # the sky
  far = inf (n ^ 2, 1);

  hit = find (ray(:,2) < 0);
  far(hit) = -eye(2) ./ ray(hit,2);
  floor_at = eye + far(hit) .* ray(hit,:);
  tile = mod (floor (floor_at(:,1) * 1.5) + floor (floor_at(:,3) * 1.5), 2);
  haze = exp (-far(hit) / 14);
  shade = 0.25 + 0.75 * ! in_shadow (floor_at, light, centre, radius);
  I(hit) = haze .* shade .* (0.35 + 0.5 * tile) + (1 - haze) * 0.55;

  for k = 1:numel (radius)
    distance = first_hit (eye, ray, centre(k,:), radius(k));
    hit = find (distance < far);
    far(hit) = distance(hit);
    at = eye + distance(hit) .* ray(hit,:);
    normal = (at - centre(k,:)) / radius(k);
    lit = max (normal * light.', 0) .* ! in_shadow (at + 1e-6 * normal, light, centre, radius);
    mirror = ray(hit,:) - 2 * sum (normal .* ray(hit,:), 2) .* normal;
    gleam = max (mirror * light.', 0) .^ 40 .* (lit > 0);
    I(hit) = min (colour(k) * (0.15 + 0.75 * lit) + 0.4 * gleam, 1);
  endfor
  I = single (reshape (I, n, n));

endfunction

## The distance from a point along the ray (a unit vector) to the ball; Inf if the ray misses it.
function distance = first_hit (from, ray, centre, radius)

  to = centre - from;
  along = sum (ray .* to, 2);
  inside = along .^ 2 - sumsq (to, 2) + radius ^ 2;
  distance = along - sqrt (max (inside, 0));
  distance(inside <= 0 | distance <= 0) = Inf;

endfunction

function yes = in_shadow (at, light, centre, radius)

  yes = false (rows (at), 1);
  for k = 1:numel (radius)
    yes |= isfinite (first_hit (at, light, centre(k,:), radius(k)));
  endfor

endfunction
