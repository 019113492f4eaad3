interface HealthCode {
  means: string
  todo: string
}

/** Every code of the health page: what it means, and what to do. */
export const healthCodes = {
  DB01: {
    means: 'The database does not answer.',
    todo: 'With PostgreSQL: see whether it runs and whether the address, user and password in FORGE_DATABASE_URL are right. With the embedded database: see whether the disk of FORGE_HOME is there and can be written to.',
  },
  DB02: {
    means: 'The database answers slowly; every page waits for it.',
    todo: 'See what else keeps the machine or its disk busy. PostgreSQL belongs on the same network as the platform.',
  },
  DB03: {
    means: 'The database is read-only, as a standby is: nothing can be saved, and /readyz answers 503.',
    todo: 'Point FORGE_DATABASE_URL at the primary and start the server again, or promote the standby. A database that was set read-only by hand: see default_transaction_read_only.',
  },
  DB04: {
    means:
      'The file of the embedded database is damaged. Seen once a day, and before each backup, which is refused then.',
    todo: 'Stop the server, keep a copy of FORGE_HOME, and restore the newest backup into a new one. See the log of the system for faults of the disk.',
  },
  JOB01: {
    means: 'Jobs are open on which nothing happens any more.',
    todo: 'Open Jobs. A job that hangs in a download ends by itself after ten minutes. Cancel those that still hang, and try again. If no job is started, restart the server.',
  },
  JOB02: {
    means: 'Jobs have failed in the last 24 hours.',
    todo: 'Open Jobs: each says at which step it failed and why. Try it again when the reason is gone.',
  },
  MAIL01: {
    means: 'No mail server is set, so people cannot sign up, reset their password or be invited by address.',
    todo: 'Set FORGE_SMTP_URL and restart the server. Without mail, administrators hand over links themselves.',
  },
  MAIL02: {
    means: 'Mail was not taken by the mail server, and waits to be tried again.',
    todo: 'The log of the server says why, at "mail not sent". See whether the address, user and password in FORGE_SMTP_URL are right.',
  },
  MAIL03: {
    means: 'The mail server does not answer.',
    todo: 'See whether the host and port in FORGE_SMTP_URL can be reached from this machine. Mail waits for two days.',
  },
  DISK01: {
    means: 'The disk of FORGE_HOME is almost full. When it is full, nothing can be saved or deployed.',
    todo: 'Make room: delete old backups, and instances and stacks that nobody needs; or give the disk more space.',
  },
  DISK02: {
    means: 'The disk of FORGE_HOME is getting full.',
    todo: 'Make room before it is needed: delete old backups, and instances and stacks that nobody needs.',
  },
  DISK03: {
    means: 'The disk of FORGE_HOME is full. People can read, sign in, stop instances and delete; all else is refused.',
    todo: 'Delete backups first, since that makes room at once; then instances under Recently deleted, and stacks. An instance whose flows write without end can be suspended. All works again a few seconds after there is room.',
  },
  BACKUP01: {
    means: 'Nightly backups are off, and the newest backup on this server is older than a week, or there is none.',
    todo: 'Set FORGE_BACKUP_AT and FORGE_BACKUP_PASSPHRASE and start the server again, or make one under Backups.',
  },
  BACKUP02: {
    means: 'Backups are to be made every night, and the newest one is older than two days.',
    todo: 'Open Jobs: it says why the last one failed. Make one under Backups to see whether the reason is gone.',
  },
  BACKUP03: {
    means: 'The last backup that was asked for was not made.',
    todo: 'Fix the cause that the reason names, then try again under Backups.',
  },
  BACKUP04: {
    means: 'A backup on this server is no longer the file that was made: its disk or somebody has changed it.',
    todo: 'Delete it and make another. See the log of the system for faults of the disk.',
  },
  BACKUP05: {
    means: 'The folder of backups cannot be read, so backups cannot be listed.',
    todo: 'Give FORGE_HOME/backups to the user of the server, with chown.',
  },
  FD01: {
    means: 'The server has nearly as many files and connections open as it may. Beyond that, starts and sign-ins fail.',
    todo: 'Raise the limit and start the server again: LimitNOFILE in its systemd unit, or `ulimit -n` before the start.',
  },
  REG01: {
    means:
      'The registry of npm does not answer, so neither modules nor stacks can be installed. What is installed goes on.',
    todo: 'See whether this machine reaches the registry that npm is set to: run `npm ping` as the user of the server.',
  },
  DRV01: {
    means: 'This machine cannot give instances all the limits and walls they should have.',
    todo: 'docs/isolation.md says what each needs. Until then run flows only of people you trust.',
  },
  DRV03: {
    means:
      'Instances run that were started when the server could not give them users of their own, as before it ran as root.',
    todo: 'Restart each of them once, so that it is isolated like new instances.',
  },
  DRV02: {
    means: 'Instances should run and do not.',
    todo: 'Open each: its log says why it ended. Those that crashed are started again after a while.',
  },
  HOST01: {
    means:
      'No server runs the instances: nothing can be started, stopped or deployed, and their addresses do not answer.',
    todo: 'Start the server that ran them again, or see why it does not reach the database. If its machine is lost, start another server again a minute later: it takes the instances over. docs/servers.md says more.',
  },
  HOST02: {
    means: 'This platform was taken over from a server that went silent. Its processes may still run the same flows.',
    todo: 'Make sure that none of its processes still runs: start its server once, which ends them and clears this message. If the machine is gone for good, run `npm run admin -- forget-former`.',
  },
  HOST03: {
    means: 'All instances were stopped by the command stop-instances, as for a move to another machine.',
    todo: 'When the platform has moved, stop this server. To go on here, run `npm run admin -- start-instances`.',
  },
  HOST04: {
    means: 'This platform was restored from one whose instances still run on this machine. None is started here.',
    todo: 'End those with `npm run admin -- stop-instances`, with the settings of the other platform. They are started here within seconds.',
  },
  KEY01: {
    means: 'The master key is being replaced. If no command is running, it was interrupted.',
    todo: 'Run `npm run admin -- rotate-key` again: it goes on where it was. Until then both keys are needed.',
  },
  KEY02: {
    means:
      'The master key was replaced, and FORGE_SECRET_KEY or its file still has the former one. The next start is refused.',
    todo: 'Put the new key there: it is in keys/master.key of FORGE_HOME.',
  },
  ADDR04: {
    means: 'Instances run that were started when the platform had other addresses. Their editors do not open.',
    todo: 'They are restarted by themselves when the server starts, a few at a time. Restart those that are still named after some minutes.',
  },
  WARM01: {
    means: 'No process waits for the next instance, so starts take half a second longer.',
    todo: 'They are made while the machine is idle and has memory to spare. If that does not happen, give it more memory, or set FORGE_WARM_PROCESSES to 0.',
  },
  TLS01: {
    means: 'The public address has no encryption: whoever is on the way reads passwords.',
    todo: 'Give the server a certificate with FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE, or put a reverse proxy with one before it. Set FORGE_BASE_URL to the https:// address.',
  },
  TLS02: {
    means: 'The certificate of the public address expires within 30 days. Three days before, this is an error.',
    todo: 'See why it was not renewed where the certificate is kept: the files in FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE, or the reverse proxy.',
  },
  TLS03: {
    means: 'The certificate of the public address is not valid: browsers refuse it.',
    todo: 'Renew it where it is kept, mostly the reverse proxy, for the names of the platform and of the instances.',
  },
  TLS06: {
    means: 'A new certificate cannot be used, so the server goes on showing the former one.',
    todo: 'Correct the files in FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE, as the sentence says. They are read again when they change.',
  },
  TLS07: {
    means: 'The certificate that the server shows is not for all names of the platform: browsers refuse the others.',
    todo: 'Get a certificate for the host of FORGE_BASE_URL and for every name below FORGE_INSTANCE_DOMAIN (a wildcard).',
  },
  TLS05: {
    means: 'This machine does not trust the authority that signed the certificate of the public address.',
    todo: 'With an authority of your own, start the server with NODE_EXTRA_CA_CERTS set to the file of its root; every browser needs the root as well. With a public one, let the reverse proxy send the whole chain.',
  },
  TLS04: {
    means:
      'On plain HTTP a page of an instance can set cookies for the console, and so put its visitors into a session of somebody else.',
    todo: 'Set FORGE_BASE_URL to an https:// address. Or set FORGE_INSTANCE_DOMAIN to a registered domain other than that of the console.',
  },
  TIME01: {
    means: 'The clocks of the database and of this machine differ. Links, sessions and codes expire at the wrong time.',
    todo: 'Let both take the time from a time server, such as with chrony or systemd-timesyncd.',
  },
  TIME02: {
    means: 'The clock of this machine was turned while the server ran. Codes of authenticator apps may not be taken.',
    todo: 'Let the machine take the time from a time server, such as with chrony or systemd-timesyncd.',
  },
  ADDR01: {
    means: 'The platform does not answer under its own public address, as far as this machine can tell.',
    todo: 'See whether FORGE_BASE_URL is what people type, whether the name service knows it here as well, and whether the reverse proxy passes requests on to FORGE_PORT with the Host header as it was.',
  },
  ADDR02: {
    means: 'WebSockets do not come through under the public address: editors do not show what happens.',
    todo: 'Let the reverse proxy pass on the Upgrade and Connection headers.',
  },
  ADDR05: {
    means: 'This machine does not know the host name of FORGE_BASE_URL, so nothing can be said of the public address.',
    todo: 'Let its name service know the name, or add it to /etc/hosts. If people reach the platform, nothing else is wrong.',
  },
  ADDR03: {
    means: 'Names of instances do not lead here, so that their editors and flows cannot be reached.',
    todo: 'The name service needs an entry for every name below FORGE_INSTANCE_DOMAIN (a wildcard), and the reverse proxy must pass them on with the Host header as it was.',
  },
  PORT01: {
    means:
      'Instances answer on ports of the host of the console. Browsers separate them less than names do: pages of an instance can set cookies for the console and for other instances.',
    todo: 'Let only people whom you trust write flows, or give instances names: FORGE_INSTANCE_DOMAIN in the place of FORGE_INSTANCE_PORTS.',
  },
  PORT02: {
    means: 'The server cannot listen on the port of an instance, so nobody reaches it there.',
    todo: 'Stop the program that uses the port, or choose another range in FORGE_INSTANCE_PORTS. The server tries again every few seconds.',
  },
  PORT03: {
    means: 'There are more instances than ports, so some have no address.',
    todo: 'Set FORGE_INSTANCE_PORTS to a larger range and restart the server, or delete instances for good.',
  },
  PROXY01: {
    means:
      'The reverse proxy is not believed, so everybody who comes through it has its address. Limits on sign-in then hold for all of them together.',
    todo: 'When the proxy runs on this machine, set FORGE_PROXY_SECRET and let it send that in X-Forge-Proxy-Secret; otherwise name its address in FORGE_TRUST_PROXY.',
  },
  PROXY02: {
    means:
      'The reverse proxy does not say who is behind it, so everybody who comes through it has its address. Limits on sign-in then hold for all of them together.',
    todo: 'Let the proxy set X-Forwarded-For to the address that connects to it (nginx: proxy_set_header X-Forwarded-For $remote_addr).',
  },
  PROXY03: {
    means:
      'Addresses of people are believed from where others can connect, such as flows on this machine. They can get around the limits on sign-in, and put invented addresses into the audit log.',
    todo: 'Name only the addresses of your reverse proxies in FORGE_TRUST_PROXY. For a proxy on this machine set FORGE_PROXY_SECRET, and take loopback out of FORGE_TRUST_PROXY.',
  },
  PROXY04: {
    means: 'The reverse proxy refuses large requests, so imports of flows and restores in the browser fail with 413.',
    todo: 'Let the proxy pass bodies of 64 MB, and more for a restore in the browser (nginx: client_max_body_size 64m).',
  },
  PROXY05: {
    means: 'The reverse proxy holds answers back until they end, so what flows stream arrives late.',
    todo: 'Switch its buffering of answers off (nginx: proxy_http_version 1.1 and proxy_buffering off).',
  },
  CHECK01: {
    means: 'This check could not run.',
    todo: 'The log of the server says why, at "health check failed". Look again; if it stays, it is a fault of the platform.',
  },
} as const satisfies Record<string, HealthCode>

export type HealthCodeName = keyof typeof healthCodes
