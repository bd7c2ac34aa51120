% DeFW on matrix completion, the way one would write it in Octave: the paper's steps with a column per node, mixing as
% a product with W, and a vertex from the leading singular vectors of the sparse tracked gradient.
%
%   octave-cli defw.m ENTRIES EDGES RADIUS FIRST LAST
%
% ENTRIES has a line node,row,column,value under a header, EDGES two node numbers per line; all count from 0. Prints the
% milliseconds of processor and wall time per step from step FIRST to step LAST, and F at the nodes' mean after it.
arguments = argv();
entries = dlmread(arguments{1}, ",", 1, 0);
edges = dlmread(arguments{2});
radius = str2double(arguments{3});
first = str2double(arguments{4});
last = str2double(arguments{5});

m = max(entries(:, 1)) + 1;
rows = max(entries(:, 2)) + 1;
columns = max(entries(:, 3)) + 1;
adjacent = sparse(edges(:, 1) + 1, edges(:, 2) + 1, 1, m, m);
adjacent = double((adjacent + adjacent') > 0);
degree = full(sum(adjacent, 2));
[i, j] = find(adjacent);
W = sparse(i, j, 1 ./ (1 + max(degree(i), degree(j))), m, m);
W += spdiags(1 - full(sum(W, 2)), 0, m, m);  % Metropolis

% Every node's rows weigh the same, as slidemesh has it: f_i is multiplied by m n_i / sum n.
place = entries(:, 2) + 1 + rows * entries(:, 3);
for node = 1:m
  own{node} = place(entries(:, 1) == node - 1);
  value{node} = entries(entries(:, 1) == node - 1, 4);
end
scale = m / size(entries, 1);

theta = zeros(rows * columns, m);
tracked = sparse(rows * columns, m);
before = sparse(rows * columns, m);
for t = 1:last
  if t == first + 1
    cpu = cputime();
    tic();
  end
  theta = theta * W;
  gradients = cell(1, m);
  for node = 1:m
    difference = scale * (theta(own{node}, node) - value{node});
    gradients{node} = sparse(own{node}, 1, difference, rows * columns, 1);
  end
  gradient = [gradients{:}];
  tracked = (tracked + gradient - before) * W;
  before = gradient;
  gamma = 2 / (t + 1);
  for node = 1:m
    [u, s, v] = svds(reshape(tracked(:, node), rows, columns), 1);
    theta(:, node) = (1 - gamma) * theta(:, node) - gamma * radius * reshape(u * v', rows * columns, 1);
  end
end
steps = last - first;
printf("%g %g", 1e3 * (cputime() - cpu) / steps, 1e3 * toc() / steps);
mean_theta = mean(theta, 2);
F = 0;
for node = 1:m
  F += scale / 2 * sum((mean_theta(own{node}) - value{node}) .^ 2);
end
printf(" %.15g\n", F);
