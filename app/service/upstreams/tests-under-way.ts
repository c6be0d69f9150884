/**
 * Each test of an upstream dials it anew, so there is one at a time of each upstream, whose report goes to all who asked meanwhile:
 * otherwise one account's tests could take the descriptors that queries need.
 */
export function testEachOnce<Outcome>(
  test: (upstream: string) => Promise<Outcome>,
): (upstream: string) => Promise<Outcome> {
  const underWay = new Map<string, Promise<Outcome>>();
  return (upstream) => {
    const present =
      underWay.get(upstream) ?? test(upstream).finally(() => underWay.delete(upstream));
    underWay.set(upstream, present);
    return present;
  };
}
