/** What can be wrong with a filter, in English: what it is, and what helps. `{0}` and `{1}` are filled with what it is about. */
export const filterProblems = {
  'too-long': ['the filter is too long', 'use {0} characters at most'],
  'many-words': ['the filter has more than {0} words', 'use fewer'],
  'many-values': ['more than {0} values', 'use a star, or a regular expression'],
  'one-value': ['"{0}:" takes one value', 'leave one of them'],
  'no-field': ['there is no field "{0}"', 'use {1}; or put quotes around a name with a colon'],
  'no-word': ['a word is missing', 'write one, or remove the sign'],
  'no-value': ['"{0}:" has no value', 'write one after "{0}:"'],
  'open-quotes': ['the quotes are not closed', 'write " where they end'],
  'open-expression': [
    'the expression is empty or not closed',
    'write / where it ends, and \\/ for a slash inside',
  ],
  'behind-quotes': ['"{0}" stands right behind the quotes', 'write a space between'],
  'behind-slashes': ['"{0}" stands right behind the slashes', 'write a space between'],
  'no-name': ['a name is missing', 'write it between the quotes'],
  'long-name': ['the name is too long', 'write part of it'],
  'many-stars': ['more than {0} stars', 'use {0} at most, or a /regex/'],
  'not-duration': ['"{0}" is not a duration', 'write it like 100ms, 1.5s or 1m'],
  'not-time': [
    '"{0}" is neither a duration nor a time',
    'write it like 15m, 1h, 7d, 2026-01-31 or 2026-01-31T14:58',
  ],
  'no-domain': ['"{0}" is no domain name', 'check it, or leave out "name:" to find part of a name'],
  'no-link': ['"{0}" is an address of the web, and no name', 'write only the name in it'],
  path: ['"{0}" is a path, and no name of a program', 'write executable:{0}, or its last part'],
  unit: ['"{0}" is a unit of systemd, and no name of a program', 'write unit:{0}'],
  session: [
    '"{0}" stands for a session whose programs are not known',
    'write user: and the account, or unit: and the session with ".scope" behind it',
  ],
  'no-address': [
    '"{0}" is neither an address nor a prefix',
    'write it like 192.0.2.7, 192.0.2.0/24, 2001:db8::/32 or 192.0.2.*, without a port',
  ],
  'no-upstream': [
    '"{0}" is neither the id of an upstream nor an address',
    'write it like quad9, 192.0.2.53 or [2001:db8::53]:53',
  ],
  'no-unit': ['"{0}" is no unit of systemd', 'write it like sshd.service, or sshd*'],
  'no-path': ['"{0}" is no path of a program', 'write it like /usr/bin/dig, or */dig'],
  'part-label': [
    '"{0}" has a star beside letters beyond ASCII',
    'write whole labels, such as *.bücher.example',
  ],
  'no-type': ['"{0}" is no record type', 'write it like {1}'],
  'no-rcode': ['"{0}" is no response code', 'write it like {1}'],
  'no-outcome': ['"{0}" is no outcome', 'use {1}'],
  'no-transport': ['"{0}" is no transport', 'use {1}'],
  'no-cost': ['"{0}" is no cost', 'use {1}'],
  'no-clear': ['"{0}" is no clear class', 'use {1}'],
} as const satisfies Record<string, readonly [message: string, remedy: string]>;

export type FilterProblemCode = keyof typeof filterProblems;

export interface ToldProblem {
  code: FilterProblemCode;
  about: readonly string[];
  message: string;
  remedy: string;
}

export function problemOf(code: FilterProblemCode, ...about: string[]): ToldProblem {
  const [message, remedy] = filterProblems[code];
  return { code, about, message: fillIn(message, about), remedy: fillIn(remedy, about) };
}

export function fillIn(template: string, about: readonly string[]): string {
  return template.replace(/\{(\d)\}/g, (_, at) => about[Number(at)] ?? '');
}
