/** Each name to two operators; the first answer is the answer. */
import { notExactly, rarelyAnsweredBy } from './hearing.ts';
import { names } from './names.ts';
import type { Trial } from './trial.ts';

const [near, far] = [20, 100];
/** Asked once a death is noticed and the third is connected. */
const settled = 30;

export const race: Trial = {
  strategy: 'race',
  roundTripMs: { one: far, two: near, three: 50 },
  home: () => ['one', 'two'],
  async play(scene) {
    await scene.connected('one', 'two');
    await scene.ask('all sound', names('sound', 50));
    await scene.distance('one', near);
    await scene.distance('two', far);
    await scene.ask('one nearer than two', names('nearer', 50));
    await scene.distance('two', null);
    await scene.ask('two dead', names('dead', 100));
    await scene.comesBack('two', far);
    await scene.ask('two back', names('back', 50));
  },
  holds: {
    'all sound': (heard) => [
      ...notExactly(heard, ['one', 'two']),
      ...rarelyAnsweredBy(heard, 'two'),
    ],
    'one nearer than two': (heard) => [
      ...notExactly(heard, ['one', 'two']),
      ...rarelyAnsweredBy(heard, 'one'),
    ],
    'two dead': (heard) => [
      ...notExactly(heard, ['one', 'three'], heard.names.slice(-settled)),
      ...rarelyAnsweredBy(heard, 'one'),
    ],
    'two back': (heard) => [
      ...notExactly(heard, ['one', 'two']),
      ...rarelyAnsweredBy(heard, 'one'),
    ],
  },
};
