/** All attacks, by name. */
import { fileAttacks } from './file.ts';
import { managerAttacks } from './network-manager.ts';
import { networkdAttacks } from './networkd.ts';
import { resolvconfAttacks } from './resolvconf.ts';
import { resolvedAttacks } from './resolved.ts';

export const attacks = {
  ...fileAttacks,
  ...resolvconfAttacks,
  ...resolvedAttacks,
  ...networkdAttacks,
  ...managerAttacks,
};

export type AttackName = keyof typeof attacks;
export const attackNames = Object.keys(attacks) as AttackName[];
