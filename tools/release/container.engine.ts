import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../build/built.ts'

const made = { node: 'forge-test-node', postgres: 'forge-test-postgres' }
const hundredMb = 100 * 1024 * 1024

/** Runs the client of Docker. @returns what it printed, of both streams. @throws Error with it, when it fails. */
export function docker(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8', maxBuffer: hundredMb })
  if (status !== 0) throw new Error(`docker ${args[0]} failed: ${error?.message ?? ''}${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

/** Does an engine answer, here or where DOCKER_HOST says? `env`: further variables, such as this one. */
export const hasEngine = (env: Record<string, string> = {}): boolean =>
  spawnSync('docker', ['info'], { stdio: 'ignore', env: { ...process.env, ...env } }).status === 0

/** A way to call Compose for one project: the plugin of Docker, or the program of its own that Debian has. */
export function compose(files: readonly string[], project: string, env: Record<string, string>) {
  const isPlugin = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0
  const program = isPlugin ? 'docker' : 'docker-compose'
  const before = isPlugin ? ['compose'] : []
  const given = files.flatMap((file) => ['--file', file])
  return (...args: string[]): string =>
    execFileSync(program, [...before, ...given, '--project-name', project, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: hundredMb,
    })
}

/**
 * The images that ours stand on: the official ones, or with FORGE_TEST_BASE=debian such that are made here of Debian's
 * packages (mmdebstrap) and the Node.js of this clone, for machines that reach no registry of images.
 */
export function baseOf(): { node: string; postgres: string } {
  if (process.env.FORGE_TEST_BASE !== 'debian') return official()
  if (Object.values(made).every((name) => spawnSync('docker', ['image', 'inspect', name]).status === 0)) return made
  const folder = mkdtempSync(join(tmpdir(), 'forge-base-'))
  try {
    makeDebian(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return made
}

function official() {
  const find = (path: string, pattern: RegExp) => pattern.exec(readFileSync(join(root, path), 'utf8'))![1]!
  return {
    node: find('Dockerfile', /^ARG BASE=(\S+)$/m),
    postgres: find('compose.yaml', /POSTGRES_IMAGE:-([^}]+)\}/),
  }
}

function makeDebian(folder: string): void {
  const tar = join(folder, 'root.tar')
  const packages = 'libstdc++6,ca-certificates,postgresql-15'
  execFileSync('mmdebstrap', ['--variant=minbase', `--include=${packages}`, 'bookworm', tar], { stdio: 'pipe' })
  docker('import', tar, 'forge-test-debian')
  rmSync(tar)

  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())))
  const context = join(folder, 'node')
  mkdirSync(join(context, 'bin'), { recursive: true })
  cpSync(process.execPath, join(context, 'bin/node'))
  cpSync(npm, join(context, 'lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(context, 'bin/npm'))
  writeFileSync(join(folder, 'Dockerfile'), 'FROM forge-test-debian\nCOPY node /usr/local\n')
  docker('build', '--tag', made.node, folder)

  writeFileSync(join(folder, 'entrypoint'), entrypoint, { mode: 0o755 })
  writeFileSync(
    join(folder, 'Dockerfile'),
    `FROM forge-test-debian
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
COPY entrypoint /usr/local/bin/entrypoint
VOLUME /var/lib/postgresql/data
CMD ["entrypoint"]
`,
  )
  docker('build', '--tag', made.postgres, folder)
}

/** A stand-in for the script of the official image, as far as compose.yaml uses it. */
const entrypoint = `#!/bin/sh
set -eu
mkdir -p "$PGDATA" /run/postgresql && chown postgres "$PGDATA" /run/postgresql && chmod 700 "$PGDATA"
as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password && chown postgres /tmp/password
  as initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8 --locale=C
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  as pg_ctl -w start -o "-c listen_addresses="
  PGPASSWORD=$POSTGRES_PASSWORD as createdb --username="$POSTGRES_USER" "$POSTGRES_DB"
  as pg_ctl -w stop
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups postgres -c 'listen_addresses=*'
`
