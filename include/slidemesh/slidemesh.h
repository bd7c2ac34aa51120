#pragma once

/// What most users want: rows, losses, sets and graphs, a problem made of them, and one call that solves it.
/// examples/solve.cpp is a complete program.

#include "slidemesh/base/errors.h"
#include "slidemesh/core/graph.h"
#include "slidemesh/core/problem.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/losses/registry.h"
#include "slidemesh/session/solve.h"
#include "slidemesh/sets/registry.h"
