/**
 * The role of the peer of the control socket. It follows from the peer's account, as the kernel reports it; what the peer says
 * of itself does not count.
 */
import type { Socket } from 'node:net';
import type * as binding from '../../../native/binding/index.d.ts';
import type { Role } from '../../contract/service-api.ts';
import { type AccountNames, createAccountNames } from './account-names.ts';

/** One person's service, or one of the machine that its users share. */
export type ServiceMode = 'user' | 'system';

export interface PeerCredentials {
  pid: number;
  uid: number;
  gids: number[];
}

export interface RoleGroups {
  /** group number; null where there is no such group */
  control: number | null;
  administer: number | null;
}

/** Absent in an addon without them. */
export type PeerAddon = Partial<Pick<typeof binding, 'groupId' | 'peerCredentials'>>;

interface Question {
  /** null: unknown */
  peer: PeerCredentials | null;
  serviceUid: number;
  mode: ServiceMode;
  groups: RoleGroups;
}

const groupNames = { control: 'sotto', administer: 'sotto-admin' } as const;

/** Null: it may do nothing. */
export function roleOf({ peer, serviceUid, mode, groups }: Question): Role | null {
  if (peer !== null && (peer.uid === 0 || peer.uid === serviceUid)) return 'administer';
  if (mode === 'user') return null;
  const isIn = (group: number | null) => group !== null && (peer?.gids.includes(group) ?? false);
  if (isIn(groups.administer)) return 'administer';
  return isIn(groups.control) ? 'control' : 'observe';
}

export interface Peers {
  roleOf(socket: Socket): Role | null;
  howToGet(role: Role): string;
  /** To be called while the connection is open; the function returned works afterwards, too. Null: the system can't tell. */
  personOf(socket: Socket): (() => string) | null;
  /** Its account's number; null: the system can't tell. */
  accountOf(socket: Socket): number | null;
}

/** Groups are looked up once: a directory that is slow must not hold up every connection. */
export function knowPeers(
  addon: PeerAddon,
  mode: ServiceMode,
  names: AccountNames = createAccountNames(),
): Peers {
  const serviceUid = process.getuid?.() ?? 0;
  const shared = mode === 'system';
  const groups = {
    control: shared ? (addon.groupId?.(groupNames.control) ?? null) : null,
    administer: shared ? (addon.groupId?.(groupNames.administer) ?? null) : null,
  };
  // Where the system can't tell at all, the file's mode is the only guard, and lets in no other account.
  const tells = addon.peerCredentials !== undefined && process.platform === 'linux';
  const blind = mode === 'user' && !tells;
  return {
    roleOf: (socket) =>
      blind
        ? 'administer'
        : roleOf({ peer: credentialsOf(socket, addon), serviceUid, mode, groups }),
    howToGet: (role) => howToGetRole(role, mode),
    accountOf: (socket) => credentialsOf(socket, addon)?.uid ?? null,
    personOf: (socket) => {
      const peer = credentialsOf(socket, addon);
      return peer === null ? null : () => names.nameOf(peer.uid);
    },
  };
}

export function howToGetRole(role: Role, mode: ServiceMode): string {
  if (mode === 'user' || role === 'observe')
    return 'run this as the user who runs Sotto, or as root';
  const group = groupNames[role];
  return `run this as root, or have an administrator add you to the group ${group} (usermod -aG ${group} YOU), then log in again`;
}

/** The program that starts the service sets it; its unit file does. */
export function serviceMode(
  environment: Readonly<Record<string, string | undefined>>,
): ServiceMode {
  return environment['SOTTO_MODE'] === 'system' ? 'system' : 'user';
}

/** Node has no public way to a socket's descriptor. */
function credentialsOf(socket: Socket, addon: PeerAddon): PeerCredentials | null {
  const { _handle: handle } = socket as unknown as { _handle?: { fd?: number } | null };
  const descriptor = handle?.fd ?? -1;
  return descriptor < 0 ? null : (addon.peerCredentials?.(descriptor) ?? null);
}
