/**
 * What is too long, too statistical or too heavy for every change: it runs before a release, and by whoever changes the part that
 * it is about. Cheap ones come first.
 */
export interface Campaign {
  /** of package.json */
  script: string;
  options: string[];
  shows: string;
}

export const campaigns: Campaign[] = [
  {
    script: 'lab:simulation',
    options: ['--seeds', '10000'],
    shows:
      'whatever fails: each query gets its response in time, and no cleartext without an open lease',
  },
  {
    script: 'lab:policy',
    options: ['--write'],
    shows:
      'nothing leaves in cleartext but what policy and an open entry permit, under every fault',
  },
  {
    script: 'test',
    options: ['--campaign'],
    shows:
      'what load, deaths at each step, and slow or silent peers do; a real OpenTelemetry collector takes the figures',
  },
  {
    script: 'lab:hostile-clients',
    options: ['--write'],
    shows: 'no connection to the control socket keeps others waiting or costs much memory',
  },
  {
    script: 'lab:restarts',
    options: [],
    shows: 'an upstream that restarts under load costs a wait and no query',
  },
  {
    script: 'lab:portal-fuzz',
    options: ['--exchanges', '100000', '--write'],
    shows: 'a hostile portal gets nothing through probes and proxy',
  },
  {
    script: 'lab:hostile-networks',
    options: ['--trials', '360', '--minutes', '18', '--write'],
    shows: 'no name reaches a network whose programs overwrite the system DNS, under refuse',
  },
  {
    script: 'lab:deaths',
    options: ['--trials', '216', '--write'],
    shows: 'whatever dies, nothing fails open under refuse and nobody is stranded',
  },
  {
    script: 'soak',
    options: ['--minutes', '60', '--write'],
    shows: 'an hour of load changes neither memory nor speed',
  },
];
