# Markdown as GitHub takes it into that of Doxygen: marks of formulas, and pictures by their name alone (IMAGE_PATH).
s/\$`\([^`]*\)`\$/\\f$\1\\f$/g
/^```math$/,/^```$/ {
  s/^```math$/\\f[/
  s/^```$/\\f]/
}
s/!\[\([^]]*\)\](\(\.\.\/\)*\(docs\/\)*pictures\//![\1](/g
