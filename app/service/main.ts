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
import { untilSignal } from './lifetime.ts';
import { createLog, type Log, sayBug } from './logging/log.ts';
import { createNetworkHandlers } from './network/network-handlers.ts';
import { systemResolvers } from './network/system-resolvers.ts';
import { openNetwork } from './open-network.ts';
import { watchBattery } from './power/battery.ts';
import { upstreamsOf } from './protection/group-observer.ts';
import { writeGuardianPolicy } from './protection/guardian-policy.ts';
import { sayRefusal, startProtection } from './protection/protection.ts';
import { takeOverLedger } from './protection/take-over.ts';
import { createLogHandlers } from './query-log/log-handlers.ts';
import { logIssueCodes } from './query-log/log-health.ts';
import { openQueryLog } from './query-log/query-log.ts';
import type { EffectiveSettings } from './settings/load-settings.ts';
import { readCatalogue, upstreamLabel } from './settings/resolver-catalogue.ts';
import { createSettingsEditor } from './settings/settings-editor.ts';
import { openSettings, sayProblem } from './settings/settings-store.ts';
import { watchSettings } from './settings/settings-watch.ts';
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
  const settings = openSettings(paths, catalogue, health);
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
  const started = await startProtection(
    {
      engine,
      ledger,
      health,
      switchFile: paths.switchFile,
      serversFor: ({ settings: { systemResolvers: setting, listen } }) =>
        systemResolvers(setting, listen),
      network,
      onBattery: () => battery.inUse(),
      labelOf,
      tellGuardian(policy) {
        const written = writeGuardianPolicy(paths.stateFolder, policy);
        if (!written.ok) log.warn({ code: written.failure.code }, written.failure.message);
      },
      now: Date.now,
      pause: (milliseconds) => setTimeout(milliseconds, undefined, { ref: false }),
      onChange: () => touch(),
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

  function status(): ServiceStatus {
    const engineNow = engine.status();
    const inForce = protection.inForce();
    const upstreams = upstreamsOf(inForce.settings.upstreams, engineNow);
    const view = protection.view(engineNow);
    const clear = protection.standing();
    const issues = [
      ...view.health,
      ...engineHealth({ engine: engineNow, now: Date.now(), built: builtAt() }),
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
      asks: protection.asks(),
      log: queryLog.status(),
      health: health.list(),
    });
  }
  const onBug = (error: unknown) => log.error({ error: sayBug(error) }, 'unexpected error');
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
      works: createWorks(onBug),
      surroundings: () => ({
        paths,
        queryLog: protection.inForce().settings.queryLog,
        now: Date.now(),
        built: builtAt(),
      }),
      labelOf: (id) => labelOf(id, protection.inForce()),
      editor: createSettingsEditor({ store, settingsFile: paths.settingsFile, adopt }),
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
  settle = () => protection.settle().catch(onBug);
  const reconnect = () => protection.reconnect().catch(onBug);
  network.onChange((change) => (change.pathChanged ? reconnect() : settle()));
  watch.onWake(reconnect);
  battery.onChange(() => settle());
  watch.onClockSet(() => settle());
  touch();
  settle();
  ticking = setInterval(() => protection.tick().catch(onBug), 1000);
  unwatch = watchSettings(
    paths,
    () => reload().catch(onBug),
    (folder) => log.warn({ folder }, 'folder can not be watched, send SIGHUP after changes'),
  );
  const addresses = engine.status().listening;
  log.info({ addresses, control: paths.controlSocket }, 'listening');
  forgetHandover(process.env);
  sayStopping = startLifeSigns(addon.value);
  options.onListening?.(addresses);
  return succeed({ paths, status, reload, stop });
}

/** `sotto run`: until a signal ends it. */
export async function runService(options: ServiceOptions = {}): Promise<Result<null>> {
  const log = options.log ?? createLog();
  const started = await startService({ ...options, log });
  if (!started.ok) return started;
  await untilSignal(started.value, log);
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
