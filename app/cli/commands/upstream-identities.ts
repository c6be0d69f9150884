/** `sotto upstream identities`: the certificates by which servers know this machine. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { ClientIdentity } from '../../contract/settings/identity-methods.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCall, defineCommand, teach } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';
import { askPasswords } from '../terminal/ask-password.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { print } from '../terminal/print.ts';

interface AddOptions extends CommonOptions {
  key?: string;
  passwordFile?: string;
}

const asAdministrator = 'run the same with sudo';

const aboutIdentities = `A server may want to know which machines ask it: then it asks for a client certificate. The administrator of this machine adds
one here, and an upstream names it ("identity" in its settings). The key stays in the service's state folder, which nobody but
the service and root may read, and is never sent anywhere; settings and profiles hold only the name. An upstream whose
identity is missing or has expired is not asked at all.`;

export function defineIdentities(command: Command, line: CommandLine): void {
  const group = command
    .command('identities')
    .description('The certificates by which servers know this machine.');

  defineCommand(group, {
    name: 'add',
    arguments: [
      ['<name>', 'what upstreams call it: letters, digits, ".", "_" and "-"'],
      ['<file>', 'a PKCS#12 file, or PEM: the certificate, and those that lead to its authority'],
    ],
    options: [
      ['--key <file>', 'PEM file of the private key, if it is not in FILE'],
      ['--password-file <file>', 'its first line is the password; otherwise you are asked'],
    ],
    description: 'Add a certificate and its key, or renew the one of this name.',
    examples: `  sudo sotto upstream identities add corp laptop-7.p12
  sudo sotto upstream identities add corp laptop-7.pem --key laptop-7.key
  sudo sotto upstream identities add corp laptop-7.p12 --password-file /dev/fd/3 3< password
  sudo sotto upstream add 192.0.2.53 --name dns.corp.example --identity corp`,
    more: aboutIdentities,
    run: ([name, file]: [string, string], options: AddOptions) => add(line, name, file, options),
  });

  defineCall(group, line, {
    name: 'list',
    description: 'Each with its certificate, until when it is valid, and which upstreams name it.',
    examples: `  sudo sotto upstream identities list
  sudo sotto upstream identities list --json | jq -r '.identities[] | [.name, .certificate.notAfter] | @tsv'`,
    method: 'identity.list',
    asAdministrator,
    say: ({ identities }) =>
      identities.length === 0
        ? 'this machine has no client identity'
        : identities.flatMap(describe),
  });

  defineCall(group, line, {
    name: 'remove',
    arguments: [['<name>', 'which one']],
    description: 'Delete a certificate and its key, once no upstream names it.',
    examples: '  sudo sotto upstream identities remove corp',
    method: 'identity.remove',
    asAdministrator,
    params: ([name]: [string]) => ({ name }),
    say: ({ identity }) => `${safe(identity.name)} is removed, and its key is deleted`,
  });

  teach(
    group,
    `  sudo sotto upstream identities add corp laptop-7.p12
  sudo sotto upstream identities list`,
    aboutIdentities,
  );
}

async function add(
  line: CommandLine,
  name: string,
  file: string,
  options: AddOptions,
): Promise<void> {
  const { readIdentityFile } = await import('./identity-file.ts');
  const read = await readIdentityFile(file, options.key, (asked) =>
    passwordOf(asked, options.passwordFile),
  );
  const added = await withService(line, options, async (service) =>
    unwrap(await service.call('identity.add', { name, ...read })),
  );
  print(line.terminal, options, added, () => [
    `${safe(name)} ${added.replaced ? 'is renewed' : 'is added'}`,
    ...describe(added.identity).slice(1),
  ]);
}

async function passwordOf(file: string, passwordFile: string | undefined): Promise<string> {
  if (passwordFile === undefined) return (await askPasswords([`Password of ${file}: `]))[0] ?? '';
  try {
    return readFileSync(passwordFile, 'utf8').split(/\r?\n/)[0] ?? '';
  } catch {
    throw badUsage(`can't read ${passwordFile}`, 'give a file whose first line is the password');
  }
}

function describe({ name, certificate, trouble, upstreams }: ClientIdentity): string[] {
  const naming = upstreams.length === 0 ? 'no upstream' : upstreams.join(', ');
  const shown =
    certificate === null
      ? [`  can't be used: ${trouble}`]
      : [
          `  ${certificate.subject}, from ${certificate.issuer}`,
          `  ${certificate.key}, valid until ${dayAndMinute(certificate.notAfter)}`,
          `  certificate ${certificate.fingerprint}`,
        ];
  return [name, ...shown, `  named by ${naming}`].map(safe);
}
