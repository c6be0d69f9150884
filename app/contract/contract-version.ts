/** Raised when a method or a field changes its meaning or disappears; new ones do not raise it. */
export const contractVersion = 1;
