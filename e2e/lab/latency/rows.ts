/** The rows of every table: the yardstick, and Sotto. */
export const plainUdp = 'plain UDP';
export const ours = 'Sotto';
