% heat_equation - explicit steps on a square plate with one warm edge
n = 32;
T = gpuArray.zeros(n, 'single');
T(1, :) = 100;
inner = 2:n-1;
dt = single(0.2);

maxChange = gpuArray(single(Inf));
step = 0;
while maxChange > 0.5 && step < 200
    old = T(inner, inner);
    lap = T(inner-1, inner) + T(inner+1, inner) ...
        + T(inner, inner-1) + T(inner, inner+1) - 4 * old;
    new = old + dt * lap;
    maxChange = max(abs(new - old), [], "all");
    T(inner, inner) = new;
    step = step + 1;
end
assert(isUnderlyingType(T, 'single'))
result = [step, gather(mean(T, 'all')), gather(T(n/2, n/2))];
