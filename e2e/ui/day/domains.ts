/** Forty domains that a computer asks for on a day, and the zone with which providers on loopback answer for them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../../rig/lab.ts';

export interface Domain {
  name: string;
  /** labels below it that programs ask for; '' is the domain itself */
  hosts: readonly string[];
  /** how often it is asked for, beside the others */
  weight: number;
  program: 'firefox' | 'thunderbird' | 'spotify' | 'apt' | 'systemd-timesyncd';
}

const firefox = (weight: number, name: string, ...hosts: string[]): Domain => ({
  ...{ name, hosts, weight },
  program: 'firefox',
});
const of = (program: Domain['program'], weight: number, name: string, ...hosts: string[]) => ({
  ...{ name, hosts, weight },
  program,
});

export const domains: readonly Domain[] = [
  firefox(60, 'github.com', '', 'api', 'gist', 'collector'),
  firefox(44, 'wikipedia.org', 'en', 'de', 'upload', 'login'),
  firefox(36, 'mozilla.org', 'www', 'push.services', 'firefox.settings.services'),
  firefox(30, 'openstreetmap.org', 'www', 'tile', 'nominatim'),
  firefox(28, 'theguardian.com', 'www', 'i', 'static', 'comments'),
  firefox(26, 'duckduckgo.com', '', 'links', 'icons'),
  firefox(22, 'stackoverflow.com', '', 'cdn', 'sso'),
  firefox(20, 'rust-lang.org', 'www', 'doc', 'static', 'play'),
  firefox(18, 'npmjs.com', 'www', 'registry', 'static'),
  firefox(16, 'codeberg.org', '', 'translate'),
  firefox(15, 'archive.org', 'www', 'web', 'analytics'),
  firefox(14, 'python.org', 'www', 'docs', 'pypi'),
  firefox(13, 'kernel.org', 'www', 'git', 'lore'),
  firefox(12, 'bbc.co.uk', 'www', 'news.files', 'static.files'),
  firefox(12, 'tagesschau.de', 'www', 'images', 'api'),
  firefox(11, 'bahn.de', 'www', 'reise', 'assets'),
  firefox(10, 'openweathermap.org', 'api', 'maps'),
  firefox(9, 'lwn.net', '', 'static'),
  firefox(9, 'arxiv.org', '', 'export'),
  firefox(8, 'nature.com', 'www', 'media'),
  firefox(8, 'signal.org', 'updates', 'chat'),
  firefox(8, 'letsencrypt.org', '', 'ocsp'),
  firefox(7, 'gnome.org', 'www', 'extensions'),
  firefox(7, 'kde.org', 'www', 'invent'),
  firefox(7, 'sr.ht', 'git', 'lists'),
  firefox(6, 'matomo.cloud', 'beacon', 'pixel', 'tags'),
  firefox(6, 'fastly.net', 'e105.fra', 'e108.fra', 'e12.ams'),
  firefox(5, 'louvre.fr', 'www'),
  firefox(5, 'dnb.de', 'catalogue', 'opac'),
  firefox(4, 'chefkoch.de', 'www', 'img'),
  of('thunderbird', 26, 'posteo.de', 'imap', 'smtp', 'autoconfig'),
  of('thunderbird', 12, 'mailbox.org', 'imap', 'smtp', 'dav'),
  of('thunderbird', 6, 'openpgp.org', 'keys', 'openpgpkey'),
  of('spotify', 24, 'spotify.com', 'apresolve', 'spclient.wg', 'audio4-ak'),
  of('spotify', 10, 'scdn.co', 'i', 'mosaic'),
  of('apt', 20, 'debian.org', 'deb', 'security', 'metadata.ftp-master'),
  of('apt', 6, 'nodesource.com', 'deb'),
  of('apt', 5, 'packagecloud.io', 'deb', 'd1'),
  of('systemd-timesyncd', 8, 'ntp.org', '0.debian.pool', '1.debian.pool'),
  of('systemd-timesyncd', 3, 'ptb.de', 'ptbtime1'),
];

/** A company's names: an exception sends them to the company's resolver. The second resolver is not there. */
export const company = { suffix: 'corp.example', hosts: ['wiki', 'git', 'mail', 'calendar'] };
export const printers = { suffix: 'print.corp.example', hosts: ['floor2'] };
/** A public name that leads into the home network, which Sotto refuses. */
export const rebinding = 'panel.matomo.cloud';

export function hostOf(label: string, name: string): string {
  return label === '' ? name : `${label}.${name}`;
}

/**
 * The first name of a domain lives a minute, so that most of its queries come from the cache; others may not be cached at all,
 * because a day passes in half a minute here.
 */
export async function writeDayZone(lab: Lab): Promise<string> {
  const file = join(lab.directory, 'day.zone');
  await writeFile(file, `${[...header, ...domains.flatMap(records), ...others].join('\n')}\n`);
  return file;
}

const header = [
  '$ORIGIN .',
  '. 300 IN SOA ns.example. hostmaster.example. 1 7200 3600 1209600 0',
  '. 300 IN NS ns.example.',
  'ns.example. 300 IN A 192.0.2.53',
];
const others = [
  ...company.hosts.map((host, at) => `${host}.${company.suffix}. 0 IN A 198.51.100.${80 + at}`),
  `${rebinding}. 0 IN A 192.168.1.1`,
];

function records({ name, hosts }: Domain, index: number): string[] {
  return hosts.flatMap((label, at) => {
    const [host, ttl] = [`${hostOf(label, name)}.`, at % 2 === 0 ? 300 : 0];
    return [
      `${host} ${ttl} IN A 203.0.113.${(index * 7 + at) % 250}`,
      `${host} ${ttl} IN AAAA 2001:db8:${index.toString(16)}::${at + 1}`,
    ];
  });
}
