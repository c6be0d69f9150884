/** A sentence of the catalogue with elements in place of its parameters: "goes to {upstream}". */
import { Fragment, type ReactNode } from 'react';

export function Rich({ of, ...parts }: { of: string } & Record<string, ReactNode>) {
  const pieces = of.split(/\{(\w+)\}/);
  return pieces.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence never change places
    <Fragment key={index}>{index % 2 === 0 ? piece : parts[piece]}</Fragment>
  ));
}
