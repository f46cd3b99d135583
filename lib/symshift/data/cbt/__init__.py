"""The Children's Book Test (Hill et al., 2016): its file format, and questions made from any book."""
