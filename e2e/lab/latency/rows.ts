/** Rows of every table: the yardstick, and us. */
export const plainUdp = 'plain UDP';
export const ours = 'Sotto';
