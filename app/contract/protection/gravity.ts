/**
 * Which of several reasons why upstreams gave no response counts most. Pure, and without a validator, because the page reads
 * it, too.
 */

interface Why {
  code: string;
  /** the addresses that were tried in vain, the gravest error first */
  tried?: readonly { address: string; code: string }[] | undefined;
}

/**
 * A server answered that could not prove its identity. The engine's codes say so
 * (native/engine/src/upstream/failure/trust_error.rs).
 */
export function isImpostor(code: string | undefined): boolean {
  return code?.startsWith('certificate-') ?? false;
}

/** Impostors come first, else the given order holds, so that an unreachable upstream does not hide an impostor. */
export function gravestFirst<Item>(
  all: readonly Item[],
  codeOf: (item: Item) => string | undefined,
): Item[] {
  const gravity = (item: Item) => Number(isImpostor(codeOf(item)));
  return [...all].sort((one, other) => gravity(other) - gravity(one));
}

/**
 * The value of a sentence's parameter of the form "cause": "CODE", or "ADDRESS CODE, ADDRESS CODE" where addresses were tried.
 */
export function causeOf({ code, tried = [] }: Why): string {
  return tried.length === 0 ? code : tried.map((one) => `${one.address} ${one.code}`).join(', ');
}
