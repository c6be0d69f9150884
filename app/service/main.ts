/**
 * The service, wired: paths → settings → ledger → query log → engine → control socket. Nothing here decides anything.
 *
 *   settings files ─▶ settings ─▶ protection ─▶ engine ─▶ events ─▶ query log
 *                                    ▲  └─▶ ledger                     │
 *   control socket ─▶ handlers ──────┴───────────◀─────────────────────┘
 */
import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { type ServicePaths, servicePaths } from '../contract/service-paths.ts';
import type { ServiceStats } from '../contract/service-stats.ts';
import type { ServiceStatus } from '../contract/service-status.ts';
import { composeStats } from './control/compose-stats.ts';
import { composeStatus, writeTime } from './control/compose-status.ts';
import { createControlServer } from './control/control-server.ts';
import { checkNotRunning, checkSocketPath, listenOnSocket } from './control/control-socket.ts';
import { createHandlers } from './control/handlers.ts';
import { knowPeers, serviceMode } from './control/peer-role.ts';
import { createStatsFeed } from './control/stats-feed.ts';
import { createStatusFeed } from './control/status-feed.ts';
import { type EngineAddon, loadEngineAddon } from './engine/engine-addon.ts';
import { startEngine } from './engine/engine-driver.ts';
import { forgetHandover, startLifeSigns } from './guardian/life-signs.ts';
import { downgradeAttempts } from './health/downgrade-attempts.ts';
import { engineHealth } from './health/engine-health.ts';
import { createHealthRegistry } from './health/health-registry.ts';
import { ruleHealth } from './health/rule-health.ts';
import { untilSignal } from './lifetime.ts';
import { createLog, type Log, sayBug } from './logging/log.ts';
import { type HeldLink, resolversBehindUs } from './network/behind-us.ts';
import { createNetworkHandlers } from './network/network-handlers.ts';
import { systemResolvers } from './network/system-resolvers.ts';
import { openNetwork } from './open-network.ts';
import { openPortal } from './portal/open-portal.ts';
import { portalHealth } from './portal/portal-health.ts';
import { watchBattery } from './power/battery.ts';
import { upstreamsOf } from './protection/group-observer.ts';
import { writeGuardianPolicy } from './protection/guardian-policy.ts';
import { noPortal } from './protection/portal-facts.ts';
import { sayRefusal, startProtection } from './protection/protection.ts';
import { takeOverLedger } from './protection/take-over.ts';
import { createLogHandlers } from './query-log/log-handlers.ts';
import { logIssueCodes } from './query-log/log-health.ts';
import { openQueryLog } from './query-log/query-log.ts';
import { createRulesNow } from './rules/rules-now.ts';
import type { EffectiveSettings } from './settings/load-settings.ts';
import { readCatalogue, upstreamLabel } from './settings/resolver-catalogue.ts';
import { createSettingsEditor } from './settings/settings-editor.ts';
import { openSettings, sayProblem } from './settings/settings-store.ts';
import { watchSettings } from './settings/settings-watch.ts';
import { createCoverage } from './system-dns/coverage/coverage.ts';
import { mechanismsHere } from './system-dns/mechanisms-here.ts';
import { openResolverMemory } from './system-dns/resolver-memory.ts';
import { createSystemDns } from './system-dns/system-dns.ts';
import { builtAt, programVersion } from './version.ts';
import { createWorks } from './works/works.ts';

export interface ServiceOptions {
  /** everything under this folder, as with SOTTO_HOME */
  home?: string | undefined;
  environment?: Readonly<Record<string, string | undefined>>;
  addon?: EngineAddon;
  log?: Log;
  /** Questions are answered from now on; the addresses are "ip:port". */
  onListening?: (addresses: readonly string[]) => void;
}

export interface RunningService {
  paths: ServicePaths;
  status(): ServiceStatus;
  /** Reads the settings again, as when their file has changed. */
  reload(): Promise<void>;
  /** Answers what is in flight, stores what happened. */
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<Result<RunningService>> {
  const { environment = process.env, log = createLog() } = options;
  const paths = servicePaths(environment, options.home);
  const version = programVersion();
  const startedAt = Date.now();
  const mode = serviceMode(environment);

  const socketPath = checkSocketPath(paths.controlSocket);
  if (!socketPath.ok) return socketPath;
  const alone = await checkNotRunning(paths.controlSocket);
  if (!alone.ok) return alone;
  const addon = options.addon === undefined ? loadEngineAddon() : succeed(options.addon);
  if (!addon.ok) return addon;
  const guarded = (addon.value.guarded?.() ?? null) !== null;

  const catalogue = readCatalogue();
  // Parts tell of changes from their first moment on; there is somebody to tell once all stand.
  let touch = () => {};
  const health = createHealthRegistry(Date.now, () => touch());
  const settings = openSettings(
    paths,
    catalogue,
    health,
    mode === 'system' ? addon.value.inheritedAddresses?.() : undefined,
  );
  if (settings.store === null)
    return fail(
      'settings-invalid',
      settings.problems.map(sayProblem).join('\n'),
      'correct the settings and start again',
      paths.settingsFile,
    );
  const { store } = settings;

  const opened = takeOverLedger(paths, Date.now);
  if (!opened.ok) return opened;
  const { ledger, trouble } = opened.value;
  if (trouble !== null) health.raise('counts-incomplete', trouble);
  const where = openNetwork(addon.value, paths.networksFile, Date.now);
  if (!where.ok) {
    ledger.release();
    return where;
  }
  const surroundings = where.value;
  const { network, memory, watch, unavailable } = surroundings;
  const battery = watchBattery();
  const queryLog = await openQueryLog({
    file: paths.queryLogFile,
    settings: store.current().settings.queryLog,
    onHealth(issue) {
      for (const code of logIssueCodes) if (code !== issue?.code) health.clear(code);
      if (issue !== null) health.put(issue);
    },
  });
  // A question may be waiting for a lease: what the engine says is acted upon at once.
  let settle = () => {};
  const engine = startEngine(
    addon.value,
    {
      onEvents: (batch) => queryLog.accept(batch),
      onChange() {
        settle();
        touch();
      },
    },
    { counts: paths.countsFile },
    watch,
  );
  const labelOf = (id: string, { settings: { upstreams } }: EffectiveSettings) =>
    upstreamLabel(upstreams.find((one) => one.id === id) ?? { id }, catalogue);
  const onBug = (error: unknown) => log.error({ error: sayBug(error) }, 'unexpected error');
  let heldLinks: readonly HeldLink[] = [];
  const serversFor = ({ settings: { systemResolvers: setting, listen } }: EffectiveSettings) =>
    systemResolvers(setting, listen, resolversBehindUs(network.snapshot(), heldLinks));
  const rules = createRulesNow({ network, memory, serversFor });
  const systemDns = createSystemDns({
    mechanisms: mechanismsHere(surroundings.bus),
    listen: () => store.current().settings.listen,
    wanted() {
      const { systemDns: setting } = protection.inForce().settings;
      const { protection: position } = protection.position();
      return { ...setting, position, listening: engine.status().listening };
    },
    own: () => serversFor(protection.inForce()),
    memory: openResolverMemory(paths.resolversFile),
    network,
    weHold(links) {
      heldLinks = links;
      watch.weHold(links);
    },
    health,
    now: Date.now,
    onTaken: () => void coverage().catch(onBug),
    onChange: () => touch(),
  });
  const coverage = createCoverage({
    engine,
    systemDns: systemDns.status,
    snapshot: network.snapshot,
    own: () => serversFor(protection.inForce()),
    health,
  });
  await systemDns.learn();
  const started = await startProtection(
    {
      engine,
      ledger,
      health,
      switchFile: paths.switchFile,
      serversFor,
      rulesFor: rules.under,
      network,
      onBattery: () => battery.inUse(),
      labelOf,
      tellGuardian(policy) {
        const written = writeGuardianPolicy(paths.stateFolder, policy);
        if (!written.ok) log.warn({ code: written.failure.code }, written.failure.message);
      },
      portal: { ...noPortal, looking: store.current().settings.portal.detect },
      now: Date.now,
      pause: (milliseconds) => setTimeout(milliseconds, undefined, { ref: false }),
      onChange() {
        touch();
        systemDns.settle().catch(onBug);
      },
    },
    store.current(),
  );
  if (!started.ok) {
    await engine.stop();
    await queryLog.close();
    battery.close();
    surroundings.close();
    ledger.release();
    return started;
  }
  const protection = started.value;
  const portal = openPortal({
    engine,
    protection,
    network,
    queryLog,
    servers: () => serversFor(protection.inForce()),
    systemDns,
    now: Date.now,
    onChange: () => touch(),
    onBug: (error) => onBug(error),
  });

  function status(): ServiceStatus {
    const engineNow = engine.status();
    const inForce = protection.inForce();
    const upstreams = upstreamsOf(inForce.settings.upstreams, engineNow);
    const view = protection.view(engineNow);
    const clear = protection.standing();
    const issues = [
      ...view.health,
      ['captive-portal', portalHealth(portal.status())] as const,
      ...engineHealth({ engine: engineNow, now: Date.now(), built: builtAt() }),
      ...ruleHealth(rules.under(inForce)),
      [
        'downgrade-attempt',
        downgradeAttempts({
          sightings: engineNow.sightings,
          upstreams,
          groups: view.groups,
          clear,
          network: view.here,
          labelOf: (id) => labelOf(id, inForce),
          writeTime,
        }),
      ] as const,
    ];
    for (const [code, details] of issues) health.replace(code, details);
    return composeStatus({
      version,
      startedAt,
      guarded,
      view,
      engine: engineNow,
      upstreams,
      clear,
      systemDns: systemDns.status(),
      asks: protection.asks(),
      portal: portal.status(),
      log: queryLog.status(),
      health: health.list(),
    });
  }
  const feed = createStatusFeed(status, onBug);

  async function stats(): Promise<ServiceStats> {
    const tally = await queryLog.tally();
    return composeStats(status(), {
      now: Date.now(),
      memory: process.memoryUsage.rss(),
      tally,
      strays: engine.status().strays,
    });
  }
  const statsFeed = createStatsFeed(stats, onBug);

  async function adopt(effective: EffectiveSettings): Promise<Result<null>> {
    const adopted = await protection.adopt(effective);
    if (adopted.ok) {
      queryLog.configure(effective.settings.queryLog);
      systemDns.settle().catch(onBug);
      health.clear('listen-failed');
      log.info('settings in force');
      return adopted;
    }
    const code = adopted.failure.code === 'listen-failed' ? 'listen-failed' : 'settings-invalid';
    health.raise(code, sayRefusal(adopted.failure));
    log.warn(
      { code: adopted.failure.code },
      'settings refused by the engine, the old ones stay in force',
    );
    return adopted;
  }

  const control = createControlServer({
    handlers: createHandlers({
      engine,
      protection,
      portal,
      ledger,
      queryLog,
      feed,
      statsFeed,
      status,
      stats,
      network: createNetworkHandlers({
        network,
        memory,
        unavailable,
        onPolicyChange: () => settle(),
        now: Date.now,
      }),
      catalogue,
      setupFile: paths.setupFile,
      works: createWorks(onBug),
      surroundings: () => ({
        paths,
        queryLog: protection.inForce().settings.queryLog,
        now: Date.now(),
        built: builtAt(),
      }),
      labelOf: (id) => labelOf(id, protection.inForce()),
      rules,
      settle: () => protection.settle(),
      editor: createSettingsEditor({ store, settingsFile: paths.settingsFile, adopt }),
      systemDns,
      coverage,
      log: createLogHandlers({ queryLog, now: Date.now }),
      now: Date.now,
      who: userName(),
    }),
    version,
    log,
    ...knowPeers(addon.value, mode),
  });

  async function reload(): Promise<void> {
    const effective = store.reload();
    if (effective !== null) await adopt(effective);
    else log.warn('settings have an error, the old ones stay in force');
    touch();
  }

  let ticking: NodeJS.Timeout | null = null;
  let unwatch = () => {};
  let sayStopping = () => {};
  async function stop(): Promise<void> {
    sayStopping();
    if (ticking !== null) clearInterval(ticking);
    unwatch();
    touch = () => {};
    feed.close();
    statsFeed.close();
    settle = () => {};
    await control.close();
    await portal.end();
    await systemDns.end();
    await engine.stop();
    await protection.end();
    await queryLog.close();
    battery.close();
    surroundings.close();
    ledger.release();
    log.info('stopped');
  }

  const listening = await listenOnSocket(control.server, paths.controlSocket, mode);
  if (!listening.ok) {
    await stop();
    return listening;
  }
  touch = feed.touch;
  let settling = false;
  settle = () => {
    const settled = protection.settle();
    if (settling) return;
    settling = true;
    settled
      .finally(() => {
        settling = false;
      })
      .then(() => portal.observe())
      .catch(onBug);
  };
  const reconnect = () => protection.reconnect().catch(onBug);
  network.onChange((change) => {
    // What is known of a portal was of another place: said before anything is permitted here.
    portal.observe();
    return change.pathChanged ? reconnect() : settle();
  });
  watch.onWake(reconnect);
  battery.onChange(() => settle());
  watch.onClockSet(() => settle());
  touch();
  settle();
  systemDns.begin().catch(onBug);
  ticking = setInterval(() => {
    systemDns.tick();
    protection
      .tick()
      .then(() => portal.observe())
      .catch(onBug);
  }, 1000);
  unwatch = watchSettings(
    paths,
    () => reload().catch(onBug),
    (folder) => log.warn({ folder }, 'folder can not be watched, send SIGHUP after changes'),
  );
  const addresses = engine.status().listening;
  log.info({ addresses, control: paths.controlSocket }, 'listening');
  forgetHandover(process.env);
  sayStopping = startLifeSigns(addon.value);
  return succeed({ paths, status, reload, stop });
}

/** `sotto run`: until a signal ends it. */
export async function runService(options: ServiceOptions = {}): Promise<Result<null>> {
  const log = options.log ?? createLog();
  const started = await startService({ ...options, log });
  if (!started.ok) return started;
  const ended = untilSignal(started.value, log);
  options.onListening?.(started.value.status().listening);
  await ended;
  return succeed(null);
}

/** Containers run under numbers that no account has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
