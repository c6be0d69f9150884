/** A unit file, as far as it is needed to start its program without systemd. */
export interface Unit {
  /** the value of a setting; the last one counts, as for systemd */
  value(name: string): string;
  all(name: string): string[];
  /** the words of ExecStart= */
  command: string[];
}

export function readUnit(text: string): Unit {
  const lines = text.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line));
  const settings = lines.flatMap((found) => (found === null ? [] : [[found[1], found[2] ?? '']]));
  const all = (name: string) =>
    settings.filter(([key]) => key === name).map(([, value]) => value ?? '');
  return {
    all,
    value: (name) => all(name).at(-1) ?? '',
    command: [...(all('ExecStart').at(-1) ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    ),
  };
}
