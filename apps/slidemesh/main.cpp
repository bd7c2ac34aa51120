#include "commands.h"

int main(int argc, char** argv) { return slidemesh::app::run_command_line(argc, argv); }
