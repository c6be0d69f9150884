/**
 * What the shipped Electron refuses: to run as Node, to take options and an inspector from outside, to load an application other
 * than its own, to let a file read others. The fuses are set once, in the binary.
 */
import { FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses';

export async function setFuses(electron: string): Promise<void> {
  const known = await getCurrentFuseWire(electron);
  // The page has a scheme of its own (app/tray/page-protocol.ts), and no file:// may read what lies beside it. Since Electron 29.
  const files = FuseV1Options.GrantFileProtocolExtraPrivileges;
  await flipFuses(electron, {
    version: FuseVersion.V1,
    [FuseV1Options.RunAsNode]: false,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: false,
    [FuseV1Options.EnableCookieEncryption]: true,
    [FuseV1Options.OnlyLoadAppFromAsar]: true,
    ...(files in known && { [files]: false }),
  });
}
