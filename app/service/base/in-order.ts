/** Carries work out in the order in which it was asked for, each after the one before has ended, well or badly. */
export type InOrder = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function inOrder(): InOrder {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
