/**
 * Which program a control group belongs to, by the names that systemd, desktops and container engines give to groups. A group may hold
 * several executables: a shell and all that was started in it share one.
 */

export interface ProgramOfGroup {
  /** `firefox`, `sshd`, `org.mozilla.firefox`; a session's is `session` */
  program: string;
  /** the unit, as systemd names it; empty where the group is none */
  unit: string;
  /** the name or the short id of the container; empty where there is none */
  container: string;
}

interface Container {
  match: RegExp;
  /** what the program is called where only the engine is known */
  engine: string;
}

/** An id has 64 digits; engines show the first twelve. */
const shownIdLength = 12;

const containers: readonly Container[] = [
  { match: /^docker-([0-9a-f]{64})\.scope$/, engine: 'docker' },
  { match: /^libpod-([0-9a-f]{64})\.scope$/, engine: 'podman' },
  { match: /^crio-([0-9a-f]{64})\.scope$/, engine: 'cri-o' },
  { match: /^cri-containerd-([0-9a-f]{64})\.scope$/, engine: 'containerd' },
  { match: /^([0-9a-f]{64})$/, engine: 'container' },
  { match: /^lxc\.payload\.(.+)$/, engine: 'lxc' },
  { match: /^machine-(.+)\.scope$/, engine: 'machine' },
];

/** `path`: from the root of the hierarchy, `/user.slice/…`. Null: the group says nothing of a program. */
export function programOfGroup(path: string): ProgramOfGroup | null {
  const parts = path.split('/').filter(Boolean);
  const unit = parts.findLast((part) => /\.(service|scope)$/.test(part)) ?? '';
  for (const part of parts) {
    const found = containerOf(part);
    if (found !== null) return { ...found, unit };
  }
  return unit === '' ? null : { program: programOfUnit(unit), unit, container: '' };
}

function containerOf(part: string): Omit<ProgramOfGroup, 'unit'> | null {
  for (const { match, engine } of containers) {
    const [, name] = match.exec(part) ?? [];
    if (name !== undefined) return { program: engine, container: shortened(unescaped(name)) };
  }
  return null;
}

function shortened(name: string): string {
  return /^[0-9a-f]{64}$/.test(name) ? name.slice(0, shownIdLength) : name;
}

function programOfUnit(unit: string): string {
  const name = unescaped(unit.replace(/\.(service|scope)$/, ''));
  if (/^session-[^-]+$/.test(name)) return 'session';
  return snapOf(name) ?? applicationOf(unit) ?? name.replace(/@.*$/, '');
}

/** `snap.firefox.firefox-<uuid>`: the snap, the program in it, and a number that tells runs apart. */
function snapOf(name: string): string | null {
  const [, snap] = /^snap\.([^.]+)\./.exec(name) ?? [];
  return snap ?? null;
}

/**
 * `app-<launcher>-<id>-<number>.scope` and `app-<launcher>-<id>@<number>.service`, the launcher left out by some
 * (https://systemd.io/DESKTOP_ENVIRONMENTS).
 */
function applicationOf(unit: string): string | null {
  const scope = /^app-(?:[^-]+-)?([^-]+)-[^-]+\.scope$/.exec(unit);
  const service = /^app-(?:[^-]+-)?([^-@]+)(?:@[^@]*)?\.service$/.exec(unit);
  const [, id] = scope ?? service ?? [];
  return id === undefined ? null : unescaped(id);
}

/** systemd writes what may not stand in a name as `\x2d`. */
function unescaped(name: string): string {
  return name.replace(/\\x([0-9a-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
