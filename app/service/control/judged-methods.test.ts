/**
 * Every method with its judgement: why the role that may call it can neither loosen anything by it, nor learn of other people's names,
 * nor stop the service or erase what others keep. A new method has no row, and this test fails until it has one.
 */
import { describe, expect, test } from 'vitest';
import { type MethodName, type Role, serviceApi } from '../../contract/service-api.ts';

const counts = 'It tells counts and states, without names, users, programs or places.';
const shipped = 'It tells what the package ships, which is the same everywhere.';
const edits =
  'It edits settings.json, so locks hold, and loosening-change.ts and disruptive-change.ts say what an administrator has to do.';
const probes =
  'It sends names of our own; how many run at once is bounded for a connection and an account.';
const names =
  'It tells which names were queried, by whom, or where people were, or it erases that.';
const trust = 'It decides about what an organisation or a certificate may do on this machine.';
const stricter = 'It only makes things stricter, or asks a private path again.';

const judgements: Record<MethodName, [role: Role, why: string]> = {
  hello: ['observe', 'It opens the channel, and says which role the peer has.'],
  'status.get': ['observe', 'What a role sees of it is in seen-by.ts.'],
  'status.follow': [
    'observe',
    'What a role sees of it is in seen-by.ts; subscriptions are bounded.',
  ],
  'stats.get': ['observe', counts],
  'stats.follow': ['observe', counts],
  'stats.series': [
    'control',
    'Counts by the minute tell when people were there, so observers get none.',
  ],
  'cache.stats': ['observe', counts],
  'upstream.list': [
    'observe',
    'Which upstreams answer is for every account whose queries they get.',
  ],
  'catalogue.list': ['observe', shipped],
  'settings.describe': ['observe', shipped],
  'setup.get': ['observe', 'It tells whether the first run has ended.'],
  'setup.end': ['control', 'It ends the first run, which shows pages and holds nothing back.'],
  'report.compose': [
    'observe',
    'It is composed as an observer sees the status, for others to read.',
  ],
  'system.status': [
    'observe',
    'Links and resolvers of this machine, which its own tools tell everybody.',
  ],
  'coverage.fixes': [
    'observe',
    'Which kinds of programs have a fix, without what their files say.',
  ],
  'ledger.list': [
    'observe',
    'What a role sees of it is in seen-by.ts: places of the past are for administrators.',
  ],
  'ledger.follow': ['observe', 'As "ledger.list"; subscriptions are bounded.'],
  'work.cancel': ['observe', 'It ends works of the same connection alone.'],

  'protection.on': ['control', stricter],
  'protection.off': [
    'control',
    'Refused where pausing needs a code, consent needs an administrator, or a lock decides what may leave in cleartext or who asks Sotto.',
  ],
  'protection.pause': ['control', 'As "protection.off".'],
  'pause.challenge': ['control', 'It makes a question for the help desk, which decides.'],
  'pause.redeem': ['control', 'It needs a code of the help desk; wrong ones make everybody wait.'],
  'consent.list': ['control', 'It names the present network, which this role knows.'],
  'consent.allow': [
    'control',
    'Who may allow cleartext is a setting; where it says administrator, this role is refused.',
  ],
  'consent.deny': ['control', stricter],
  'consent.retry': ['control', stricter],
  'network.set': [
    'control',
    'Of the present network alone; what is looser is refused where the policy is locked or consent needs an administrator.',
  ],
  'portal.check': ['control', 'It asks listed pages, in cleartext, without a name of anybody.'],
  'portal.open': [
    'control',
    'The window asks for names of the login alone, for a time that the settings bound.',
  ],
  'portal.close': ['control', stricter],
  'portal.skip': ['control', 'It hides a notice until the network is left.'],
  'portal.allowSite': [
    'control',
    'Refused where a lock decides what may leave in cleartext, or consent needs an administrator.',
  ],
  'rule.list': ['control', 'The rules are of the machine, and say nothing of queries.'],
  'rule.export': ['control', 'The rules are of the machine, and say nothing of queries.'],
  'rule.add': ['control', edits],
  'rule.remove': ['control', edits],
  'rule.import': ['control', edits],
  'rule.answer': [
    'control',
    'Refused where a lock decides what may leave in cleartext, somebody is refused it, or consent needs an administrator; a claim that is believed, or remembered so, is an administrator’s to end.',
  ],
  'settings.effective': ['control', 'The settings are of the machine, and say nothing of queries.'],
  'settings.set': ['control', edits],
  'settings.reset': ['control', edits],
  'settings.undo': ['control', edits],
  'settings.restore': ['control', 'It writes what is in force, word for word.'],
  'upstream.add': ['control', edits],
  'upstream.remove': ['control', edits],
  'upstream.move': ['control', edits],
  'upstream.test': ['control', probes],
  'upstream.retry': ['control', stricter],
  'upstream.forget': [
    'control',
    'Upstreams recognise this machine less; what they have proved only an administrator makes it forget.',
  ],
  'upstream.measure': ['control', probes],
  'upstream.crossCheck': [
    'control',
    'The names are those of the settings, which every upstream of their group gets anyway.',
  ],
  'catalogue.measure': ['control', probes],
  'query.ask': [
    'control',
    'The name is the caller’s own, and goes where a program’s query would go.',
  ],
  'query.askEach': ['control', 'The name is the caller’s own; how many run at once is bounded.'],
  'query.tryOut': ['control', probes],
  'doctor.run': [
    'control',
    'It calls the other methods in the role of the caller, and is bounded as they are.',
  ],
  'system.take': ['control', stricter],
  'system.giveBack': [
    'control',
    'It sets "systemDns.take", which loosens, so an administrator has to do it.',
  ],
  'system.probe': [
    'control',
    'It looks up names used once; names of programs are for administrators and their own user.',
  ],
  'coverage.map': ['control', 'Names of programs are for administrators and their own user.'],
  'cache.flush': [
    'control',
    'The next queries are asked anew; nothing tells which names were there.',
  ],
  'ledger.rules': ['control', 'The rules are of the machine, and say nothing of queries.'],
  'ledger.begin': ['control', 'An entry of the caller’s own query; they are bounded in an hour.'],
  'ledger.end': ['control', 'It closes the entry of the same connection.'],
  'profile.show': ['control', 'What an organisation wants is of the machine.'],
  'profile.effective': ['control', 'As "settings.effective".'],
  'profile.simulate': [
    'control',
    'Without the query log, files that nothing in force names, or look-ups of accounts; one at a time.',
  ],
  'audit.head': ['control', 'A number and a hash, so that whoever keeps it can find a change.'],

  'service.stop': ['administer', 'It ends the service for everybody.'],
  'settings.accept': ['administer', 'It lets go of what vanished files had made strict.'],
  'rule.explain': ['administer', names],
  'cache.show': ['administer', names],
  'connections.list': ['administer', names],
  'audit.list': ['administer', 'It tells who decided what.'],
  'coverage.fix': ['administer', 'It changes settings of every user’s programs.'],
  'coverage.undo': ['administer', 'It changes settings of every user’s programs.'],
  'identity.add': ['administer', trust],
  'identity.list': ['administer', trust],
  'identity.remove': ['administer', trust],
  'profile.approve': ['administer', trust],
  'profile.enrol': ['administer', trust],
  'profile.leave': ['administer', trust],
  'profile.update': ['administer', trust],
  'network.forget': ['administer', names],
  'network.list': ['administer', names],
  'network.restore': ['administer', names],
  'network.show': ['administer', names],
  'log.cancel': ['administer', names],
  'log.clear': ['administer', names],
  'log.count': ['administer', names],
  'log.event': ['administer', names],
  'log.facets': ['administer', names],
  'log.follow': ['administer', names],
  'log.histogram': ['administer', names],
  'log.pour': ['administer', names],
  'log.query': ['administer', names],
  'log.search': ['administer', names],
  'log.suggest': ['administer', names],
  'log.top': ['administer', names],
  'log.unfollow': ['administer', names],
};

test('no method is without a judgement', () => {
  expect(Object.keys(judgements).sort()).toEqual(Object.keys(serviceApi.methods).sort());
});

describe.each(Object.entries(judgements))('%s', (name, [role, why]) => {
  test('has the role that was judged', () => {
    expect(serviceApi.methods[name as MethodName].role).toBe(role);
    expect(why).toMatch(/^[A-Z].{15,}\.$/);
  });
});
