/** Each registered domain goes to one operator; no other receives its names unless that one is dead. */
import { few, type Heard, hearersOf } from './hearing.ts';
import { domainOf, domains, hosts } from './names.ts';
import { type OperatorId, operatorIds } from './operators.ts';
import type { Trial } from './trial.ts';

const roundTripMs = { one: 20, two: 20, three: 20 };
/** Of 90 domains each operator should get about 30; less than half of that can't be chance. */
const fewest = 15;
const rate = 200;

export const spread: Trial = {
  strategy: 'spread',
  roundTripMs,
  home: (name, first) =>
    name.includes('.back-') ? [...operatorIds] : holders(first, domainOf(name)),
  async play(stage) {
    await stage.connected(...operatorIds);
    await stage.ask('all sound', hosts('sound'), rate);
    await stage.answersTake('two', 800);
    await stage.ask('two slow', hosts('slow'), rate);
    await stage.answersTake('two', 0);
    await stage.distance('two', null);
    await stage.ask('two dead', hosts('dead'), rate);
    await stage.comesBack('two', roundTripMs.two);
    await stage.ask('two back', hosts('back'), rate);
    await stage.restartService();
    await stage.connected(...operatorIds);
    await stage.ask('service restarted', hosts('restarted'), rate);
  },
  holds: {
    'all sound': (heard) => [...eachWhole(heard), ...even(heard)],
    'two slow': keptAll,
    'two dead': (heard, first) => [
      ...eachWhole(heard),
      ...(heard.by.two.size > 0 ? [`${few([...heard.by.two])} at the dead one`] : []),
      ...moved(heard, first).flatMap((domain) =>
        holders(first, domain).includes('two') ? [] : [`${domain} moved, whose operator lives`],
      ),
      ...inherited(heard, first),
    ],
    'two back': keptAll,
    'service restarted': keptAll,
  },
};

function keptAll(heard: Heard, first: Heard): string[] {
  const others = moved(heard, first);
  return others.length === 0 ? [] : [`${few(others)} moved`];
}

function moved(heard: Heard, first: Heard): string[] {
  return domains.filter((each) => holders(heard, each).join() !== holders(first, each).join());
}

function eachWhole(heard: Heard): string[] {
  const parted = domains.filter((domain) => holders(heard, domain).length !== 1);
  return parted.length === 0 ? [] : [`${few(parted)} not at exactly one operator`];
}

function even(heard: Heard): string[] {
  return operatorIds.flatMap((id) => {
    const held = domains.filter((domain) => holders(heard, domain).includes(id)).length;
    return held >= fewest ? [] : [`${id} holds ${held} of ${domains.length} domains`];
  });
}

/** Each living operator takes some domains of the dead one. */
function inherited(heard: Heard, first: Heard): string[] {
  const orphans = domains.filter((domain) => holders(first, domain).includes('two'));
  return (['one', 'three'] as const).flatMap((heir) =>
    orphans.some((domain) => holders(heard, domain).includes(heir))
      ? []
      : [`${heir} inherited none of ${orphans.length} domains`],
  );
}

/** The operators that received a name of this domain. */
export function holders(heard: Heard, domain: string): OperatorId[] {
  const ofDomain = heard.names.filter((name) => name.endsWith(`.${domain}`));
  return operatorIds.filter((id) => ofDomain.some((name) => hearersOf(heard, name).includes(id)));
}
