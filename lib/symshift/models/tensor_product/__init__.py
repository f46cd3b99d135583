"""TPR-RNN, its symbolic forms STPR and GSTPR, and its variants."""
