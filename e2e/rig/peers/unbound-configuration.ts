/** The common configuration of every unbound of the laboratory, and the additions for one of them. */
import type { Identity } from '../certificates.ts';

interface Told {
  /** `ADDRESS@PORT` each */
  interfaces: string[];
  /** the modules that a query passes through; nothing is validated, if left out */
  modules?: string;
  /** further lines about the server */
  server?: string[];
  /** the folder of the control socket; there is none, if left out */
  control?: string;
  /** such as `clause('forward-zone', …)` */
  clauses?: string[];
}

export function unboundConfiguration(told: Told): string {
  const { interfaces, modules = 'iterator', server = [], control, clauses = [] } = told;
  return [
    ...clause('server', [
      'use-syslog: no',
      'username: ""',
      'chroot: ""',
      'pidfile: ""',
      `module-config: "${modules}"`,
      ...interfaces.map((each) => `interface: ${each}`),
      ...server,
    ]),
    ...clause('remote-control', control === undefined ? ['control-enable: no'] : by(control)),
    ...clauses,
    '',
  ].join('\n');
}

export function clause(name: string, lines: string[]): string[] {
  return [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

/** `where`: the server for the names below, as a line such as `forward-addr: 192.0.2.1`. */
export function zoneElsewhere(
  kind: 'stub' | 'forward',
  zone: string,
  ...where: string[]
): string[] {
  return clause(`${kind}-zone`, [`name: "${zone}"`, ...where]);
}

/** The lines for TLS on this port. */
export function secured(port: number, { certificate, key }: Pick<Identity, 'certificate' | 'key'>) {
  return [`tls-port: ${port}`, `tls-service-key: "${key}"`, `tls-service-pem: "${certificate}"`];
}

/** `wiki.corp.example` → `['A 192.168.77.20']`: for every name below, too. */
export function knownNames(names: Record<string, string[]>): string[] {
  return Object.entries(names).flatMap(([name, records]) => [
    `local-zone: "${name}" redirect`,
    ...records.map((record) => `local-data: "${name} ${record}"`),
  ]);
}

/** All other names do not exist. A test of an upstream sends a query for the root's servers. */
export const nothingElse = ['local-zone: "." static', 'local-data: ". NS ns.example"'];

function by(folder: string): string[] {
  return ['control-enable: yes', `control-interface: "${folder}/control"`, 'control-use-cert: no'];
}
