/** The id of a network is twelve hexadecimal digits; this word stands for no network at all. */
export const noNetwork = 'none';
