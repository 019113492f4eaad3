import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AgentError } from '../agent.errors.ts'

const name = 'flowforge-agent'
const unitFile = `/etc/systemd/system/${name}.service`

/**
 * The unit. Only the agent gets signals of systemd, so that flows go on when the agent is killed and started again; it
 * ends them itself when the service is stopped.
 */
const unitOf = ({ dir, file, command }: { dir: string; file: string; command: string[] }): string => `[Unit]
Description=FlowForge agent
Wants=network-online.target
After=network-online.target

[Service]
Environment=MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
ExecStart=${command.map(quoted).join(' ')} --dir ${quoted(dir)} --config ${quoted(file)}
Restart=always
RestartSec=2
KillMode=process
TimeoutStopSec=30
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=multi-user.target
`

/** @throws AgentError unknown_command, service_failed. */
export async function service(
  action: string | undefined,
  { dir, file }: { dir: string; file: string },
): Promise<number> {
  if (action === 'print') {
    process.stdout.write(unitOf({ dir, file, command: programOf() }))
    return 0
  }
  if (action !== 'install' && action !== 'uninstall')
    throw new AgentError('unknown_command', 'Say service install, service uninstall or service print.')
  try {
    if (action === 'install') {
      writeFileSync(unitFile, unitOf({ dir, file, command: programOf() }), { mode: 0o644 })
      systemctl('daemon-reload')
      systemctl('enable', name)
      systemctl('restart', name)
    } else {
      systemctl('disable', '--now', name)
      rmSync(unitFile, { force: true })
      systemctl('daemon-reload')
    }
  } catch (cause) {
    throw new AgentError(
      'service_failed',
      `The service could not be ${action}ed: ${(cause as Error).message.split('\n', 1)[0]}. It needs systemd and root.`,
      { cause },
    )
  }
  process.stdout.write(
    action === 'install' ? `The service runs. Its log: journalctl -u ${name}\n` : 'The service is removed.\n',
  )
  return 0
}

const systemctl = (...args: string[]) => execFileSync('systemctl', args, { stdio: ['ignore', 'ignore', 'inherit'] })

/**
 * By the launcher of the installer, which lets the agent update itself; else as `files/flowforge-agent.sh` starts it, in
 * 13 MB less than usual.
 */
function programOf(): string[] {
  const program = process.argv[1]!
  // <prefix>/versions/<sha256>/apps/agent/dist/main.js
  const launcher = join(resolve(program, '../../../../../..'), 'launch')
  return existsSync(launcher)
    ? ['/bin/sh', launcher, process.execPath]
    : [process.execPath, '--max-semi-space-size=1', program]
}
/** As systemd reads a word; % is its own sign. */
const quoted = (word: string) =>
  /^[\w/.:-]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`
