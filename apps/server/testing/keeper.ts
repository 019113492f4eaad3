import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Listens, hands the socket to the program as descriptor 3, and runs it again whenever it has ended, as systemd does. */
const program = `
use strict; use IO::Socket::INET; use POSIX ();
$^F = 255;
my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => shift, Listen => 4096, ReuseAddr => 1) or die $@;
POSIX::dup2(fileno($socket), 3) if fileno($socket) != 3;
my $child;
$SIG{TERM} = sub { kill 'TERM', $child if $child; waitpid($child, 0); exit 0 };
while (1) {
  $child = fork();
  if ($child == 0) {
    $SIG{TERM} = 'DEFAULT';
    $ENV{LISTEN_PID} = $$; $ENV{LISTEN_FDS} = 1;
    exec @ARGV;
  }
  waitpid($child, 0);
  if (open(my $last, '>', "$ENV{FORGE_HOME}/last-exit")) { print {$last} ($? >> 8); close($last) }
}`

export interface KeeperOptions {
  home: string
  port: number
  /** The program of the server with its arguments. */
  command: string[]
  env: NodeJS.ProcessEnv
  folder?: string
}

/** A server whose listening socket outlives it. Needs Perl, which each Debian has. */
export function startKeeper({ home, port, command, env, folder }: KeeperOptions) {
  const child = spawn('perl', ['-e', program, String(port), ...command], {
    env,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return {
    /** The process of the server that works on the home now; NaN while there is none. */
    serverPid(): number {
      try {
        return Number(readFileSync(join(home, 'platform.pid'), 'utf8'))
      } catch {
        return Number.NaN
      }
    },
    /** The exit code of the server that ended last. */
    lastExit: (): number => Number(readFileSync(join(home, 'last-exit'), 'utf8')),
    /** Ends the server and what keeps it. */
    async stop(): Promise<void> {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
