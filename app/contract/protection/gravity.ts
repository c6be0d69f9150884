/** Which of several reasons why upstreams gave no answer counts most. Pure, and without a validator: the page reads it, too. */

interface Why {
  code: string;
  /** the addresses that were tried in vain, the gravest first */
  tried?: readonly { address: string; code: string }[] | undefined;
}

/** Somebody is there who is not who it should be: by the engine's word (native/engine/src/upstream/failure/trust_error.rs). */
export function isImpostor(code: string | undefined): boolean {
  return code?.startsWith('certificate-') ?? false;
}

/** Impostors first, else in the order given: they are not hidden behind an upstream where nobody is. */
export function gravestFirst<Item>(
  all: readonly Item[],
  codeOf: (item: Item) => string | undefined,
): Item[] {
  const gravity = (item: Item) => Number(isImpostor(codeOf(item)));
  return all.toSorted((one, other) => gravity(other) - gravity(one));
}

/** What a sentence's place of the form "cause" holds: "CODE", or "ADDRESS CODE, ADDRESS CODE" where addresses were tried. */
export function causeOf({ code, tried = [] }: Why): string {
  return tried.length === 0 ? code : tried.map((one) => `${one.address} ${one.code}`).join(', ');
}
