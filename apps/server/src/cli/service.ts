import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { readConfig } from '../config.ts'
import { settingsFile } from './installed.ts'
import type { Shell } from './run.ts'

const unitFile = '/etc/systemd/system/flowforge.service'
/** Beyond what requests are waited for: jobs note where they are, the database is closed. */
const moreSeconds = 30
const startSeconds = 120

export interface Unit {
  /** The command `flowforge`. */
  program: string
  /** Where npm is, which installs further versions of Node-RED. */
  path: string
  stopSeconds: number
  /** User of the server; absent: root, which gives each instance a user of its own. */
  user?: string | undefined
}

/** The unit of systemd. */
export const unitText = ({ program, path, stopSeconds, user }: Unit): string => `[Unit]
Description=FlowForge, which hosts Node-RED for teams
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
# Type=exec and ExecStartPost: "systemctl start" returns when the server answers. An upgrade of the database may take
# longer than that wait: the "-" and the infinite limit let it go on.
Type=exec
ExecStart=${program} start
ExecStartPost=-${program} ready --wait ${startSeconds}
TimeoutStartSec=infinity
${user ? `User=${user}\n` : ''}EnvironmentFile=-${settingsFile}
Environment=PATH=${path}
Environment=FORGE_HOME=/var/lib/flowforge
StateDirectory=flowforge
${user ? 'StateDirectoryMode=0700\n' : ''}# Instances outlive the server: only the server is ended, and its requests are waited for.
KillMode=process
KillSignal=SIGTERM
TimeoutStopSec=${stopSeconds + moreSeconds}
Restart=always
RestartSec=2
# Limits of memory and processes for each instance.
Delegate=yes
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
`

const firstSettings = `# Settings of FlowForge, one NAME=value on each line. All are in docs/settings.md of the package.
# After a change: flowforge check && systemctl restart flowforge
#FORGE_BASE_URL=https://forge.example.com
#FORGE_INSTANCE_DOMAIN=apps.example.com
#FORGE_DATABASE_URL=postgres://forge:<password>@localhost:5432/forge
`

/** Installs the service and starts it. @returns the exit code. */
export function install(
  { env, say }: Pick<Shell, 'env' | 'say'>,
  { print, user }: { print: boolean; user?: string | undefined },
): Promise<0 | 1> {
  const program = findProgram(env)
  const unit = unitText({
    program,
    path: pathOf(env),
    stopSeconds: readConfig(env).stopSeconds,
    user,
  })
  if (print) {
    say(unit)
    return Promise.resolve(0)
  }
  return Promise.resolve(write(unit, say, user))
}

function write(unit: string, say: Shell['say'], user?: string): 0 | 1 {
  if (user && spawnSync('id', ['--', user], { stdio: 'ignore' }).status !== 0) {
    say(`This machine has no user ${user}. Create it first: useradd --system ${user}`)
    return 1
  }
  if (process.getuid?.() !== 0) {
    say('A service is installed by root: sudo flowforge service install. With --print it is only shown.')
    return 1
  }
  if (!existsSync('/run/systemd/system')) {
    say('systemd does not run on this machine. With --print the unit is shown; flowforge start runs without it.')
    return 1
  }
  if (!existsSync(settingsFile)) {
    mkdirSync(dirname(settingsFile), { recursive: true })
    writeFileSync(settingsFile, firstSettings, { mode: 0o600 })
  }
  writeFileSync(unitFile, unit)
  say(`Written: ${unitFile}. Settings: ${settingsFile}. Starting; this usually takes 5 seconds …`)
  try {
    // A service that runs already takes up the new unit only by a restart, which leaves its instances alone.
    for (const step of [['daemon-reload'], ['enable', 'flowforge'], ['restart', 'flowforge']])
      execFileSync('systemctl', step, { stdio: 'inherit' })
  } catch {
    say('The service did not start. The reason is in its log: journalctl -u flowforge')
    return 1
  }
  say('It runs. The one-time link for the set-up is in the log: journalctl -u flowforge')
  return 0
}

/** Without what npm puts before the path of scripts. */
const foldersOf = (env: Shell['env']) =>
  (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/') && !folder.includes('/node_modules/'))

/** The command says where it is. */
const findProgram = (env: Shell['env']): string => env.FLOWFORGE_PROGRAM ?? '/usr/local/bin/flowforge'

function pathOf(env: Shell['env']): string {
  const npm = foldersOf(env).find((folder) => existsSync(join(folder, 'npm')))
  const usual = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']
  return [...new Set([...(npm ? [npm] : []), ...usual])].join(delimiter)
}
