## Copyright (C) 2026 the gpumm authors
## SPDX-License-Identifier: BSD-3-Clause

## [K, nodes, corners] = __demo_stiffness__ (sections, side)
##
## The stiffness matrix of a helical spring: linear elasticity in trilinear bricks (Q1), with
## 2 x 2 x 2 Gauss points.  The wire has side^2 nodes in each of its sections.  Unknown number
## 3 (a - 1) + i is the displacement of node a along axis i, so K consists of 3 x 3 blocks.  The
## spring is not fixed: K is symmetric and positive semidefinite, and its null space is the six
## motions of a rigid body.
##
## nodes(a,:) is the position of node a, corners(e,:) are the eight nodes of brick e.  Lengths are in
## units of the coil's radius, stress in units of Young's modulus.
##
## Source of the formulas: T. J. R. Hughes, The Finite Element Method, 1987, chapters 2 and 3.

function [K, nodes, corners] = __demo_stiffness__ (sections, side)

  turns = 2.5;
  rise = 0.8;    # per turn
  wire = 0.22;   # half the thickness
  poisson = 0.3;
  lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
  mu = 1 / (2 * (1 + poisson));

  ## Sections are closer at the ends, where a spring is held; corners of the wire are rounded.
  t = linspace (0, 1, sections);
  t -= 0.08 * sin (2 * pi * t);
  angle = 2 * pi * turns * t;
  [u, v] = ndgrid (linspace (-1, 1, side));
  radial = wire * (u .* sqrt (1 - 0.4 * v .^ 2))(:);
  axial = wire * (v .* sqrt (1 - 0.4 * u .^ 2))(:);
  x = (1 + radial) .* cos (angle);
  y = (1 + radial) .* sin (angle);
  z = rise * turns * t + axial;
  nodes = [x(:), y(:), z(:)];

  ## Local axes are radial, along the wire, axial: in this order they are right-handed.
  id = reshape (1:rows (nodes), side, side, sections);
  corners = zeros ((side - 1) ^ 2 * (sections - 1), 8);
  sign = zeros (8, 3);
  for a = 1:8
    far = bitand (a - 1, [1, 2, 4]) != 0;
    sign(a,:) = 2 * far - 1;
    corners(:,a) = id((1:end-1) + far(1), (1:end-1) + far(3), (1:end-1) + far(2))(:);
  endfor

  bricks = rows (corners);
  V = zeros (bricks, 3, 8, 3, 8);
  X = reshape (nodes(corners,:), bricks, 8, 3);
  for point = sign.' / sqrt (3)
    [G, volume] = gradients (X, sign, point.');
    for a = 1:8
      for b = 1:8
        dot_ab = sum (G(:,a,:) .* G(:,b,:), 3);
        for i = 1:3
          for j = 1:3
            k = lambda * (G(:,a,i) .* G(:,b,j)) + mu * (G(:,a,j) .* G(:,b,i));
            if (i == j)
              k += mu * dot_ab;
            endif
            V(:,i,a,j,b) += volume .* k;
          endfor
        endfor
      endfor
    endfor
  endfor

  unknown = reshape (3 * (corners - 1), bricks, 1, 8) + (1:3);
  unknown = reshape (unknown, bricks, 24);
  row = unknown(:,repmat (1:24, 1, 24));
  col = unknown(:,repelem (1:24, 24));
  K = sparse (row(:), col(:), V(:), 3 * rows (nodes), 3 * rows (nodes));

endfunction

## The gradients of the shape functions N_a = prod (1 + sign(a,d) xi(d)) / 8 in all bricks: G(:,a,c)
## is the derivative of N_a along axis c at the local point xi, VOLUME the Gauss point's share.
function [G, volume] = gradients (X, sign, xi)

  factor = 1 + sign .* xi;
  dN = [sign(:,1) .* factor(:,2) .* factor(:,3), ...
        factor(:,1) .* sign(:,2) .* factor(:,3), ...
        factor(:,1) .* factor(:,2) .* sign(:,3)] / 8;

  J = zeros (rows (X), 3, 3);  # J(:,c,d) = dx_c / dxi_d
  for c = 1:3
    J(:,c,:) = X(:,:,c) * dN;
  endfor
  adjugate = zeros (size (J));
  next = [2, 3, 1];
  last = [3, 1, 2];
  for c = 1:3
    for d = 1:3
      adjugate(:,d,c) = J(:,next(c),next(d)) .* J(:,last(c),last(d)) ...
                        - J(:,next(c),last(d)) .* J(:,last(c),next(d));
    endfor
  endfor
  volume = sum (reshape (J(:,1,:), [], 3) .* adjugate(:,:,1), 2);  # det J; a Gauss weight is 1
  if (any (volume <= 0))
    error ("gpumm_demo: a brick of the mesh is turned inside out");
  endif

  G = zeros (rows (X), 8, 3);
  for c = 1:3
    G(:,:,c) = adjugate(:,:,c) * dN.' ./ volume;
  endfor

endfunction
