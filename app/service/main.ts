/**
 * The service, wired: what is opened, in this order; it is closed in the opposite one. Nothing here decides anything.
 *
 *   settings files ─▶ settings ─▶ protection ─▶ engine ─▶ events ─▶ query log
 *                                    ▲  └─▶ ledger                     │
 *   control socket ─▶ handlers ──────┴───────────◀─────────────────────┘
 */
import { setTimeout } from 'node:timers/promises';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { type ServicePaths, servicePaths } from '../contract/service-paths.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import { adoptSettings } from './adopt-settings.ts';
import { auditedJournal } from './audit/audited-journal.ts';
import { followAuditHealth, openAudit } from './audit/open-audit.ts';
import { sayErrno } from './base/errno-words.ts';
import { Listeners } from './base/listeners.ts';
import { machineClock } from './base/machine-clock.ts';
import { builtAt, programVersion } from './base/version.ts';
import { createAccountNumbers } from './conditions/account-numbers.ts';
import { dependsOnAsker } from './conditions/condition-here.ts';
import { followForwarders } from './conditions/follow-forwarders.ts';
import { checkNotRunning, checkSocketPath } from './control/control-socket.ts';
import { openControl } from './control/open-control.ts';
import { serviceMode } from './control/peer-role.ts';
import { type EngineAddon, loadEngineAddon } from './engine/engine-addon.ts';
import { startEngine } from './engine/engine-driver.ts';
import { openFleetView } from './fleet-view.ts';
import { followChanges } from './follow-changes.ts';
import { createHealthRegistry } from './health/health-registry.ts';
import { openIdentities } from './identities/identity-store.ts';
import { addressesOfGuardian, forgetHandover, startLifeSigns } from './lifetime/life-signs.ts';
import { type Mortal, untilEnd } from './lifetime/lifetime.ts';
import { isAtTerminal, meaningOf } from './lifetime/stop-wish.ts';
import { type Journal, openJournal, sayBug } from './logging/journal.ts';
import { createSettingsJournal } from './logging/settings-journal.ts';
import { createStatusJournal } from './logging/status-journal.ts';
import { openNetwork } from './network/open-network.ts';
import { createOwnResolvers } from './network/own-resolvers.ts';
import { openPortal } from './portal/open-portal.ts';
import { openBattery } from './power/battery.ts';
import { openEnrolment } from './profiles/enrolment.ts';
import { createContestEntry } from './protection/contest-entry.ts';
import { openGuardianWord } from './protection/guardian-policy.ts';
import { noPortal } from './protection/portal-facts.ts';
import { startProtection } from './protection/protection.ts';
import { takeOverLedger } from './protection/take-over.ts';
import { putLogIssue } from './query-log/log-health.ts';
import { openQueryLog } from './query-log/query-log.ts';
import { createRulesNow } from './rules/rules-now.ts';
import { followEnds } from './settings/follow-ends.ts';
import type { EffectiveSettings } from './settings/load-settings.ts';
import { readCatalogue, upstreamLabel } from './settings/resolver-catalogue.ts';
import { openSettings, sayProblem } from './settings/settings-store.ts';
import { watchSettings } from './settings/settings-watch.ts';
import { createServiceNow } from './status/service-now.ts';
import { arrivesAt } from './system-dns/coverage/arrives-at.ts';
import { createFixes } from './system-dns/coverage/fixes.ts';
import { connectionsToResolvers } from './system-dns/coverage/known-resolvers.ts';
import { systemFiles } from './system-dns/coverage/read-files.ts';
import { gateAt, noGate } from './system-dns/gate.ts';
import { helperAt } from './system-dns/helper.ts';
import { openSystemDns } from './system-dns/open-system-dns.ts';
import { takeOverOrphaned } from './system-dns/orphaned.ts';
import { readStopReason } from './system-dns/stop-reason.ts';
import { askSystemBus } from './system-dns/system-bus.ts';
import { openCrossCheck } from './upstreams/cross-check.ts';
import { followKnownPrivate, openKnownPrivate } from './upstreams/known-private.ts';

export interface ServiceOptions {
  /** everything under this folder, as with SOTTO_HOME */
  home?: string | undefined;
  environment?: Readonly<Record<string, string | undefined>>;
  addon?: EngineAddon;
  journal?: Journal;
  /** Called when queries are answered; the addresses are "ip:port". */
  onListening?: (addresses: readonly string[]) => void;
}

export interface RunningService extends Mortal {
  paths: ServicePaths;
  status(): ServiceStatus;
  /** Reports to the program that started the service, once its signals have a handler. */
  sayReady(): void;
}

export async function startService(options: ServiceOptions = {}): Promise<Result<RunningService>> {
  const { environment = process.env, journal: told = openJournal(environment) } = options;
  const paths = servicePaths(environment, options.home);
  const audited = openAudit(paths.auditFile);
  const { audit } = audited;
  const journal = auditedJournal(told, audit);
  const version = programVersion();
  const startedAt = Date.now();
  const mode = serviceMode(environment);
  const onBug = (error: unknown) => journal.note('unexpected-error', { error: sayBug(error) });

  const alone = await checkAlone(paths.controlSocket);
  if (!alone.ok) return alone;
  const addon = addonFor(options);
  if (!addon.ok) return addon;

  // Parts report changes from their first moment on; their listeners come once all parts are open.
  const changed = new Listeners<void>();
  const engineChanged = new Listeners<void>();
  const unsettled = new Listeners<void>();
  await using opened = new AsyncDisposableStack();

  const catalogue = readCatalogue();
  const labelOf = (id: string, { settings: { upstreams } }: EffectiveSettings) =>
    upstreamLabel(upstreams.find((one) => one.id === id) ?? { id }, catalogue);
  const health = createHealthRegistry(Date.now, () => changed.tell());
  followAuditHealth(audit, health);
  opened.defer(() => audit.end());
  const handedOver = mode === 'system' ? addon.value.inheritedAddresses?.() : undefined;
  const settingsJournal = createSettingsJournal(journal);
  const settingsWatch = watchSettings(paths, (folder) =>
    journal.note('settings-unwatched', { folder }),
  );
  opened.defer(() => settingsWatch.close());

  const where = openNetwork(addon.value, paths.networksFile, Date.now);
  if (!where.ok) return where;
  const surroundings = where.value;
  const { network, memory, watch } = surroundings;
  opened.defer(() => surroundings.close());

  const enrolment = openEnrolment(paths.profileFile, network.here);
  const identities = openIdentities(paths.identitiesFolder);
  const { store, problems } = openSettings(
    paths,
    catalogue,
    health,
    handedOver,
    settingsJournal.found,
    enrolment.layer,
  );
  if (store === null)
    return fail(
      'settings-invalid',
      problems.map(sayProblem).join('\n'),
      'correct the settings and start again',
      paths.settingsFile,
    );

  const taken = takeOverLedger(paths, Date.now);
  if (!taken.ok) return taken;
  const { ledger, trouble } = taken.value;
  opened.defer(() => ledger.release());
  if (trouble !== null) health.raise('counts-incomplete', trouble);

  const battery = openBattery(addon.value);
  opened.defer(() => battery.close());
  const queryLog = await openQueryLog({
    file: paths.queryLogFile,
    settings: store.current().settings.queryLog,
    onHealth: putLogIssue(health),
  });
  opened.defer(() => queryLog.close());

  const known = openKnownPrivate(paths.knownPrivateFile);
  const engine = startEngine(
    addon.value,
    {
      onEvents: (batch) => queryLog.accept(batch),
      onChange() {
        engineChanged.tell();
        changed.tell();
      },
    },
    { counts: paths.countsFile },
    watch,
    known.list(),
  );
  opened.defer(() => engine.stop());
  queryLog.learnFrom(engine);

  const word = openGuardianWord(paths.stateFolder);
  const leave = (written: Result<null>) => {
    if (!written.ok)
      journal.note('not-kept', { what: 'guardian-policy', why: written.failure.code });
  };
  const own = createOwnResolvers(network);
  const accounts = createAccountNumbers();
  const built = builtAt();
  const rules = createRulesNow({ network, memory, serversFor: own.under, now: Date.now, built });
  const forwarders = followForwarders(
    {
      onDnsPort: addon.value.unitsOnDnsPort,
      matters: () => dependsOnAsker(store.current().settings),
      now: Date.now,
      onChange: () => unsettled.tell(),
    },
    onBug,
  );
  await forwarders.look();
  const askBus = askSystemBus(addon.value);
  const { systemDns, coverage } = openSystemDns({
    surroundings,
    askBus,
    engine,
    own,
    listen: () => store.current().settings.listen,
    gate: mode === 'system' ? gateAt() : noGate,
    connections: connectionsToResolvers(addon.value, catalogue),
    ownPerson: mode === 'user',
    strict: word.keepsDns,
    noteContest: createContestEntry({ ledger, network, health }),
    inForce: () => protection.inForce(),
    position: () => protection.position(),
    tellTaken: (taken) => leave(word.taken(taken)),
    health,
    now: Date.now,
    onChange: () => changed.tell(),
    onBug,
  });
  const fixes = createFixes({
    helper: helperAt(),
    files: systemFiles,
    bus: askBus,
    arrivesAt: (address) => arrivesAt(engine, address),
  });
  await systemDns.learn();
  await takeOverOrphaned(helperAt(), ledger).catch(onBug);

  const started = await startProtection(
    {
      engine,
      ledger,
      health,
      switchFile: paths.switchFile,
      clock: machineClock(),
      serversFor: own.under,
      rulesFor: rules.under,
      accounts,
      forwarders: forwarders.units,
      network,
      onBattery: () => battery.inUse(),
      identities: identities.all,
      labelOf,
      tellGuardian: (policy) => leave(word.policy(policy)),
      portal: { ...noPortal, looking: store.current().settings.portal.detect },
      now: Date.now,
      built,
      pause: (milliseconds) => setTimeout(milliseconds, undefined, { ref: false }),
      onChange() {
        changed.tell();
        systemDns.settle().catch(onBug);
      },
    },
    store.current(),
  );
  if (!started.ok) return started;
  const protection = started.value;
  const onTrouble = (error: unknown) =>
    journal.note('not-kept', { what: 'known-private', why: sayErrno(error) });
  opened.defer(followKnownPrivate({ known, engine, engineChanged, onTrouble }));
  // Its last counts are those of an engine that has stopped.
  opened.defer(() => engine.stop().then(protection.end));
  let giveBack = false;
  const statusJournal = createStatusJournal(journal);
  opened.defer(() => statusJournal.end(systemDns.status()));
  opened.defer(() => coverage.end());
  opened.defer(() => systemDns.end({ giveBack }));

  const portal = openPortal({
    bus: addon.value,
    engine,
    protection,
    network,
    memory,
    rules,
    queryLog,
    servers: () => own.under(protection.inForce()),
    systemDns,
    now: Date.now,
    onChange: () => changed.tell(),
    onBug,
  });
  opened.defer(() => portal.end());

  const parts = {
    ...audited,
    enrolment,
    identities,
    surroundings,
    battery,
    ledger,
    queryLog,
    engine,
    rules,
    numberOf: accounts.numberOf,
    forwarders,
    systemDns,
    coverage,
    fixes,
    protection,
    portal,
    health,
    labelOf: (id: string) => labelOf(id, protection.inForce()),
    changed,
    engineChanged,
    unsettled,
    journal,
    settingsJournal,
    statusJournal,
    onBug,
  };
  const keepSettings = () => {
    const why = store.keep();
    if (why !== null) journal.note('not-kept', { what: 'settings', why });
  };
  keepSettings();
  settingsJournal.inForce(store.current().sources);
  const held = addressesOfGuardian(addon.value);
  const about = { addon: addon.value, mode, version, paths, store };
  const asked = Promise.withResolvers<void>();
  const now = createServiceNow({ ...parts, ...about, catalogue, startedAt, held, now: Date.now });
  const fleetView = openFleetView({ ...parts, ...now, ...about }, store.current().settings);
  opened.defer(() => fleetView.end());
  const crossCheck = openCrossCheck({ ...parts, network }, store.current().settings);
  opened.defer(() => crossCheck.end());
  const adopt = (effective: EffectiveSettings) =>
    adoptSettings(effective, { ...parts, fleetView, crossCheck });
  const control = await openControl({
    ...parts,
    ...now,
    ...about,
    adopt,
    keep: keepSettings,
    catalogue,
    servers: () => own.under(protection.inForce()),
    crossCheck,
    // The client gets its reply first.
    askStop: () => setImmediate(asked.resolve),
  });
  if (!control.ok) return control;
  // Somebody may have edited a file while nobody looked.
  parts.auditedSettings.changed(store.inForceBefore, store.current().values);
  opened.defer(() => control.value.close());

  const reload = async () => {
    const effective = store.reload();
    if (effective !== null && (await adopt(effective)).ok) keepSettings();
    changed.tell();
  };

  opened.defer(followChanges(parts));
  const readAgain = () => void reload().catch(onBug);
  opened.defer(settingsWatch.follow(readAgain));
  const { onClockSet } = surroundings.watch;
  opened.defer(followEnds({ store, onClockSet, reload: readAgain, now: Date.now }));
  changed.tell();
  const addresses = engine.status().listening;
  journal.note('service-started', { addresses, control: paths.controlSocket });
  forgetHandover(process.env);

  const running = opened.move();
  async function stop(how: { giveBack: boolean }): Promise<void> {
    giveBack = how.giveBack;
    await running.disposeAsync();
    journal.note('service-stopped', {});
  }
  return succeed({
    paths,
    status: now.status,
    reload,
    sayReady: () => running.defer(startLifeSigns(addon.value)),
    stop,
    answerInFlight: () => engine.stop(),
    storeEvents: () => queryLog.close(),
    stopAsked: asked.promise,
  });
}

/** Whether the control socket is free for this process. */
async function checkAlone(controlSocket: string): Promise<Result<unknown>> {
  const path = checkSocketPath(controlSocket);
  return path.ok ? await checkNotRunning(controlSocket) : path;
}

const addonFor = ({ addon }: ServiceOptions): Result<EngineAddon> =>
  addon === undefined ? loadEngineAddon() : succeed(addon);

/** `sotto run`: until a signal or a request ends it. Resolves to the exit code. */
export async function runService(options: ServiceOptions = {}): Promise<Result<number>> {
  const journal = options.journal ?? openJournal(options.environment ?? process.env);
  const started = await startService({ ...options, journal });
  if (!started.ok) return started;
  const mode = serviceMode(options.environment ?? process.env);
  const ended = untilEnd(started.value, journal, {
    meaningOf: (signal) =>
      meaningOf({ signal, mode, reason: readStopReason(), atTerminal: isAtTerminal() }),
  });
  // A signal that came before would end us without an end.
  started.value.sayReady();
  options.onListening?.(started.value.status().listening);
  return succeed(await ended);
}
