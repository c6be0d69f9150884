/** A function that never changes and calls the newest one: for code that keeps it longer than one drawing. */
import { useCallback, useLayoutEffect, useRef } from 'react';

export function useLatest<Given extends unknown[]>(
  call: (...given: Given) => void,
): (...given: Given) => void {
  const latest = useRef(call);
  useLayoutEffect(() => {
    latest.current = call;
  });
  return useCallback((...given: Given) => latest.current(...given), []);
}
