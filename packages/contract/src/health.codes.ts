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
  JOB01: {
    means: 'Jobs are open on which nothing happens any more.',
    todo: 'Open Jobs. What hangs at a download ends by itself after ten minutes; cancel what still hangs, and try it again. When none is taken up, start the server again.',
  },
  JOB02: {
    means: 'Jobs have failed in the last 24 hours.',
    todo: 'Open Jobs: each says at which step it failed and why. Try it again when the reason is gone.',
  },
  MAIL01: {
    means: 'No mail server is set, so people cannot sign up, reset their password or be invited by address.',
    todo: 'Set FORGE_SMTP_URL and start the server again. Without mail, administrators hand over links themselves.',
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
    todo: 'Make room: delete old back-ups, and instances and stacks that nobody needs; or give the disk more space.',
  },
  DISK02: {
    means: 'The disk of FORGE_HOME is getting full.',
    todo: 'Make room before it is needed: delete old back-ups, and instances and stacks that nobody needs.',
  },
  DISK03: {
    means: 'The disk of FORGE_HOME is full. People can read, sign in, stop instances and delete; all else is refused.',
    todo: 'Delete backups first, since that makes room at once; then instances under Deleted, and stacks. An instance whose flows write without end can be suspended. All works again a few seconds after there is room.',
  },
  BACKUP01: {
    means: 'Nightly backups are off, and the newest backup on this server is older than a week, or there is none.',
    todo: 'Set FORGE_BACKUP_AT and FORGE_BACKUP_PASSPHRASE and start the server again, or make one under Backups.',
  },
  BACKUP02: {
    means: 'Backups are to be made every night, and the newest one is older than two days.',
    todo: 'Open Jobs: it says why the last one failed. Make one under Backups to see whether the reason is gone.',
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
  DRV02: {
    means: 'Instances should run and do not.',
    todo: 'Open each: its log says why it ended. Those that crashed are started again after a while.',
  },
  WARM01: {
    means: 'No process waits for the next instance, so starts take half a second longer.',
    todo: 'They are made while the machine is idle and has memory to spare. If that does not happen, give it more memory, or set FORGE_WARM_PROCESSES to 0.',
  },
  TLS01: {
    means: 'The public address has no encryption: whoever is on the way reads passwords.',
    todo: 'Put a reverse proxy with a certificate before the platform, and set FORGE_BASE_URL to the https:// address.',
  },
  TLS02: {
    means: 'The certificate of the public address expires within three weeks.',
    todo: 'See why it was not renewed where the certificate is kept, mostly the reverse proxy.',
  },
  TLS03: {
    means: 'The certificate of the public address is not valid: browsers refuse it.',
    todo: 'Renew it where it is kept, mostly the reverse proxy, for the names of the platform and of the instances.',
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
  ADDR03: {
    means: 'Names of instances do not lead here, so that their editors and flows cannot be reached.',
    todo: 'The name service needs an entry for every name below FORGE_INSTANCE_DOMAIN (a wildcard), and the reverse proxy must pass them on with the Host header as it was.',
  },
  CHECK01: {
    means: 'This could not be looked at.',
    todo: 'The log of the server says why, at "health check failed". Look again; if it stays, it is a fault of the platform.',
  },
} as const satisfies Record<string, HealthCode>

export type HealthCodeName = keyof typeof healthCodes
