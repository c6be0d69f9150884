/**
 * The service, wired: paths → settings → ledger → query log → engine → control socket. Nothing here decides anything.
 *
 *   settings files ─▶ settings ─▶ protection ─▶ engine ─▶ events ─▶ query log
 *                                    ▲  └─▶ ledger                     │
 *   control socket ─▶ handlers ──────┴───────────◀─────────────────────┘
 */
import { userInfo } from 'node:os';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { type ServicePaths, servicePaths } from '../contract/service-paths.ts';
import type { ServiceStats } from '../contract/service-stats.ts';
import type { ServiceStatus } from '../contract/service-status.ts';
import { composeStats } from './control/compose-stats.ts';
import { composeStatus, upstreamsOf } from './control/compose-status.ts';
import { createControlServer } from './control/control-server.ts';
import { checkNotRunning, checkSocketPath, listenOnSocket } from './control/control-socket.ts';
import { createHandlers } from './control/handlers.ts';
import { createStatsFeed } from './control/stats-feed.ts';
import { createStatusFeed } from './control/status-feed.ts';
import { type EngineAddon, loadEngineAddon } from './engine/engine-addon.ts';
import { startEngine } from './engine/engine-driver.ts';
import { engineHealth } from './health/engine-health.ts';
import { createHealthRegistry } from './health/health-registry.ts';
import { untilSignal } from './lifetime.ts';
import { createLog, type Log, sayBug } from './logging/log.ts';
import { systemResolvers } from './network/system-resolvers.ts';
import { type Ledger, openLedger } from './protection/ledger.ts';
import { sayRefusal, startProtection } from './protection/protection.ts';
import { transition } from './protection/transition.ts';
import { logIssueCodes } from './query-log/log-health.ts';
import { openQueryLog } from './query-log/query-log.ts';
import { sayErrno } from './settings/certificate-file.ts';
import type { EffectiveSettings } from './settings/load-settings.ts';
import { readCatalogue, upstreamLabel } from './settings/resolver-catalogue.ts';
import { openSettings, sayProblem } from './settings/settings-store.ts';
import { watchSettings } from './settings/settings-watch.ts';
import { builtAt, programVersion } from './version.ts';

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

  const socketPath = checkSocketPath(paths.controlSocket);
  if (!socketPath.ok) return socketPath;
  const alone = await checkNotRunning(paths.controlSocket);
  if (!alone.ok) return alone;
  const addon = options.addon === undefined ? loadEngineAddon() : succeed(options.addon);
  if (!addon.ok) return addon;

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

  const opened = tryOpenLedger(paths.ledgerFile);
  if (!opened.ok) return opened;
  const ledger = opened.value;
  const queryLog = await openQueryLog({
    file: paths.queryLogFile,
    settings: store.current().settings.queryLog,
    onHealth(issue) {
      for (const code of logIssueCodes) if (code !== issue?.code) health.clear(code);
      if (issue !== null) health.put(issue);
    },
  });
  const engine = startEngine(addon.value, {
    onEvents: (batch) => queryLog.accept(batch),
    onChange: () => touch(),
  });
  const started = await startProtection(
    {
      engine,
      ledger,
      health,
      switchFile: paths.switchFile,
      serversFor: ({ settings: { systemResolvers: setting, listen } }) =>
        systemResolvers(setting, listen),
      now: Date.now,
      onChange: () => touch(),
    },
    store.current(),
  );
  if (!started.ok) {
    await engine.stop();
    await queryLog.close();
    ledger.release();
    return started;
  }
  const protection = started.value;

  function status(): ServiceStatus {
    const engineNow = engine.status();
    const configured = protection.inForce().settings.upstreams;
    const upstreams = upstreamsOf(configured, engineNow);
    const clear = protection.standing();
    const state = transition({
      position: protection.position(),
      upstreams,
      policyEntry: clear.find((entry) => entry.class === 'policy') ?? null,
      labelOf: (id) => upstreamLabel(configured.find((one) => one.id === id) ?? { id }, catalogue),
    });
    const issues = engineHealth({
      engine: engineNow,
      protection: state,
      now: Date.now(),
      built: builtAt(),
    });
    for (const [code, details] of issues) health.replace(code, details);
    return composeStatus({
      version,
      startedAt,
      protection: state,
      engine: engineNow,
      upstreams,
      clear,
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

  async function adopt(effective: EffectiveSettings): Promise<void> {
    const adopted = await protection.adopt(effective);
    if (adopted.ok) {
      queryLog.configure(effective.settings.queryLog);
      health.clear('listen-failed');
      log.info('settings in force');
      return;
    }
    const code = adopted.failure.code === 'listen-failed' ? 'listen-failed' : 'settings-invalid';
    health.raise(code, sayRefusal(adopted.failure));
    log.warn(
      { code: adopted.failure.code },
      'settings refused by the engine, the old ones stay in force',
    );
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
      now: Date.now,
      who: userName(),
    }),
    version,
    log,
    // The socket's mode is the guard: see control-socket.ts.
    roleOf: () => 'administer',
  });

  async function reload(): Promise<void> {
    const effective = store.reload();
    if (effective !== null) await adopt(effective);
    else log.warn('settings have an error, the old ones stay in force');
    touch();
  }

  let ticking: NodeJS.Timeout | null = null;
  let unwatch = () => {};
  async function stop(): Promise<void> {
    if (ticking !== null) clearInterval(ticking);
    unwatch();
    touch = () => {};
    feed.close();
    statsFeed.close();
    await control.close();
    await engine.stop();
    await protection.end();
    await queryLog.close();
    ledger.release();
    log.info('stopped');
  }

  const listening = await listenOnSocket(control.server, paths.controlSocket);
  if (!listening.ok) {
    await stop();
    return listening;
  }
  touch = feed.touch;
  touch();
  ticking = setInterval(() => protection.tick().catch(onBug), 1000);
  unwatch = watchSettings(
    paths,
    () => reload().catch(onBug),
    (folder) => log.warn({ folder }, 'folder can not be watched, send SIGHUP after changes'),
  );
  const addresses = engine.status().listening;
  log.info({ addresses, control: paths.controlSocket }, 'listening');
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

/** A lock of another service, or a folder that can't be used. */
function tryOpenLedger(file: string): Result<Ledger> {
  try {
    return succeed(openLedger(file, Date.now));
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY'))
      return fail(
        'already-running',
        'another Sotto uses the same folder',
        'stop it first, or give this one another folder with SOTTO_HOME',
        file,
      );
    return fail(
      'state-unwritable',
      `can't open ${file}: ${sayErrno(error)}`,
      'check who owns its folder, and that the disk has room',
      file,
    );
  }
}
