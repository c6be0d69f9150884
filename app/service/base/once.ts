/** What follows from a value that never changes, computed once for as long as the value lives. */
export function once<Value extends object, Derived>(
  derive: (value: Value) => Derived,
): (value: Value) => Derived {
  const known = new WeakMap<Value, { derived: Derived }>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before.derived;
    const derived = derive(value);
    known.set(value, { derived });
    return derived;
  };
}
