interface HealthCode {
  means: string
  todo: string
}

/** Every code of the health page: what it means, and what to do. */
export const healthCodes = {
  DB01: {
    means: 'The database does not answer.',
    todo: 'With PostgreSQL: check that it runs, and the address, user and password in FORGE_DATABASE_URL. With the embedded database: check that the disk of FORGE_HOME is mounted and writable.',
  },
  DB02: {
    means: 'The database is slow, so every page is slow.',
    todo: 'Check what else keeps the machine or its disk busy. Run PostgreSQL on the same network as the platform.',
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
    means: 'Jobs are stuck.',
    todo: 'Open Jobs. A stuck download ends by itself after ten minutes. Cancel jobs that stay stuck, and retry. If no job starts, restart the server.',
  },
  JOB02: {
    means: 'Jobs have failed in the last 24 hours.',
    todo: 'Open Jobs: each shows the failed step and the reason. Fix the cause, then retry.',
  },
  MAIL01: {
    means: 'No mail server is set, so people cannot sign up, reset their password or be invited by address.',
    todo: 'Set FORGE_SMTP_URL and restart the server. Without mail, administrators hand over links themselves.',
  },
  MAIL02: {
    means: 'The mail server refused mail. It is queued for a retry.',
    todo: 'The server log gives the reason at "mail not sent". Check address, user and password in FORGE_SMTP_URL.',
  },
  MAIL03: {
    means: 'The mail server does not answer.',
    todo: 'Check that this machine reaches the host and port in FORGE_SMTP_URL. Mail is retried for two days.',
  },
  BILLING01: {
    means: 'Billing uses the test provider: no money moves, and a restart of the server forgets all subscriptions.',
    todo: 'Set FORGE_BILLING_PROVIDER to stripe before anybody pays. Keep the test provider for trying things out.',
  },
  BILLING02: {
    means:
      'The payment provider refuses calls or does not answer. Nobody is kept from working; quantities are sent again later.',
    todo: 'Check FORGE_STRIPE_SECRET_KEY and the network. The reason is shown beside the team.',
  },
  BILLING03: {
    means: 'A subscription at the payment provider differs from this platform.',
    todo: 'Differences in quantities and prices are corrected at once, and shown for a day. If one stays or comes back, compare the items named here with the subscription in the dashboard of the provider.',
  },
  BILLING04: {
    means: 'No webhook secret is set, so every message of the payment provider is refused.',
    todo: 'Create the webhook as the page Billing of the handbook says, set FORGE_STRIPE_WEBHOOK_SECRET and restart the server.',
  },
  BILLING05: {
    means: 'Something that runs is not charged, because its type has no price.',
    todo: 'Set the price ID of the instance types and team types named here. Write Free as the price of an instance type that costs nothing.',
  },
  BILLING06: {
    means: 'A price that people are shown is not the one that the payment provider charges.',
    todo: 'Change the price text or the price ID of the type named here, or FORGE_STRIPE_TEAM_PRICE. A price at Stripe never changes: create another one there.',
  },
  DISK01: {
    means: 'The disk of FORGE_HOME is almost full. When it is full, nothing can be saved or deployed.',
    todo: 'Delete old backups, unused instances and stacks, or enlarge the disk.',
  },
  DISK02: {
    means: 'The disk of FORGE_HOME is getting full.',
    todo: 'Delete old backups, unused instances and stacks before it is full.',
  },
  DISK03: {
    means:
      'The disk of FORGE_HOME is full. People can sign in, read, stop instances and delete; everything else is refused.',
    todo: 'Delete backups first, which frees space at once, then instances under Recently deleted, and stacks. Suspend an instance whose flows keep writing. Everything works again within seconds of freeing space.',
  },
  BACKUP01: {
    means: 'Nightly backups are off, and the newest backup on this server is older than a week, or there is none.',
    todo: 'Set FORGE_BACKUP_AT and FORGE_BACKUP_PASSPHRASE and restart the server, or create a backup under Backups.',
  },
  BACKUP02: {
    means: 'Nightly backups are on, but the newest backup is older than two days.',
    todo: 'Open Jobs to see why the last backup failed. Create one under Backups to check that the cause is fixed.',
  },
  BACKUP03: {
    means: 'The last backup failed.',
    todo: 'Fix the cause given in the reason, then try again under Backups.',
  },
  BACKUP04: {
    means: 'A backup file has changed since it was created: the disk is faulty or somebody modified it.',
    todo: 'Delete it and create another. Check the system log for disk errors.',
  },
  BACKUP05: {
    means: 'The backup folder cannot be read, so backups cannot be listed.',
    todo: 'Give FORGE_HOME/backups to the user of the server, with chown.',
  },
  FD01: {
    means: 'The server is close to its limit of open files and connections. At the limit, starts and sign-ins fail.',
    todo: 'Raise the limit and restart the server: LimitNOFILE in its systemd unit, or `ulimit -n` before the start.',
  },
  REG01: {
    means:
      'The npm registry does not answer, or npm does not trust its certificate, so modules and stacks cannot be installed. Installed ones keep working.',
    todo: 'Check that this machine reaches the configured npm registry: run `npm ping` as the user of the server. For a certificate of your own authority set cafile in the settings of npm, or NODE_EXTRA_CA_CERTS.',
  },
  DRV01: {
    means: 'This machine cannot isolate and limit instances completely.',
    todo: 'See docs/isolation.md for what is missing. Until then run only flows of people you trust.',
  },
  DRV03: {
    means:
      'Some instances were started before the server could run each as its own user, as when it did not run as root.',
    todo: 'Restart each of them once to isolate it like new instances.',
  },
  DRV04: {
    means: 'The container engine or the cluster does not answer: instances there cannot be started or stopped.',
    todo: 'Start the engine, and let the user of the server use its socket (FORGE_DOCKER_SOCKET). For a swarm it must be one of a manager. In a cluster the service account needs its rights. See docs/docker.md, docs/swarm.md and docs/kubernetes.md.',
  },
  DRV02: {
    means: 'Instances that should be running are not.',
    todo: 'Open each: its log gives the reason. Crashed instances are restarted after a while.',
  },
  HOST01: {
    means:
      'No server runs the instances: nothing can be started, stopped or deployed, and their addresses do not answer.',
    todo: 'Start the server that ran them, or check why it does not reach the database. If its machine is lost, restart another server after a minute: it takes over the instances. See docs/servers.md.',
  },
  HOST02: {
    means:
      'This server took over from one that stopped answering. Processes of that server may still run the same flows.',
    todo: 'Start that server once: it ends its processes and clears this message. If its machine is gone for good, run `npm run admin -- forget-former`.',
  },
  HOST03: {
    means: 'All instances were stopped by the command stop-instances, as before a move to another machine.',
    todo: 'When the platform has moved, stop this server. To go on here, run `npm run admin -- start-instances`.',
  },
  HOST04: {
    means:
      'This platform was restored from a backup, and the instances of the original still run on this machine. None is started here.',
    todo: 'Stop them with `npm run admin -- stop-instances`, using the settings of the original platform. They start here within seconds.',
  },
  KEY01: {
    means: 'The master key is being replaced. If no command is running, it was interrupted.',
    todo: 'Run `npm run admin -- rotate-key` again to continue. Until it is done both keys are needed.',
  },
  KEY02: {
    means:
      'The master key was replaced, but FORGE_SECRET_KEY or its file still has the old one. The next start will be refused.',
    todo: 'Set it to the new key, which is in keys/master.key of FORGE_HOME.',
  },
  ADDR04: {
    means: 'Some instances were started before the addresses of the platform changed. Their editors do not open.',
    todo: 'The server restarts them by itself after its start, a few at a time. Restart any that are still listed after some minutes.',
  },
  WARM01: {
    means: 'There is no warm process, so starts take half a second longer.',
    todo: 'Warm processes start while the machine is idle and has free memory. If none appears, add memory or set FORGE_WARM_PROCESSES to 0.',
  },
  TLS01: {
    means: 'The public address is not encrypted: passwords can be read in transit.',
    todo: 'Set FORGE_TLS_ACME, or FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE, or use a reverse proxy with TLS. Set FORGE_BASE_URL to the https:// address.',
  },
  TLS02: {
    means: 'The certificate of the public address expires within 30 days. In the last three days this is an error.',
    todo: 'Check why it was not renewed: in the files of FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE, in the reverse proxy, or see Certificates by ACME on this page.',
  },
  TLS03: {
    means: 'The certificate of the public address is not valid: browsers refuse it.',
    todo: 'Renew it, usually in the reverse proxy, for the names of the platform and of the instances.',
  },
  TLS06: {
    means: 'The new certificate is not valid, so the server keeps using the previous one.',
    todo: 'Correct the files in FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE, as the message says. They are reloaded when they change.',
  },
  TLS07: {
    means: 'The certificate does not cover all names of the platform: browsers refuse the others.',
    todo: 'Get a certificate for the host of FORGE_BASE_URL and for every name below FORGE_INSTANCE_DOMAIN (a wildcard).',
  },
  TLS08: {
    means:
      'The ACME server cannot verify a name: it gets no answer, or a wrong one, at port 80. The name has no new certificate.',
    todo: 'Let port 80 of the name lead to this server, through firewalls and routers: to FORGE_HTTP_REDIRECT_PORT, or by a proxy to FORGE_PORT with an unchanged Host header. The server tries again by itself; SIGHUP makes it try at once.',
  },
  TLS09: {
    means: 'The ACME server cannot look up a name, so the name has no new certificate.',
    todo: 'Add the name to the DNS that the ACME server uses. Instances need a wildcard record below FORGE_INSTANCE_DOMAIN.',
  },
  TLS10: {
    means: 'The ACME server has reached its rate limit. It gets no orders until the time that it gave.',
    todo: 'Wait: existing certificates stay in use. With many instances use a wildcard certificate in FORGE_TLS_CERT_FILE instead.',
  },
  TLS11: {
    means: 'The ACME server does not answer, or refuses the order. The name has no new certificate.',
    todo: 'Check FORGE_TLS_ACME_DIRECTORY, FORGE_TLS_ACME_CA_FILE and the network as the message says. The server tries again by itself.',
  },
  TLS12: {
    means:
      'The server has no certificate for the console yet. It shows one that it signed itself, which browsers refuse.',
    todo: 'Wait a minute after the first start. If it stays, see Certificates by ACME on this page for the reason.',
  },
  TLS05: {
    means: 'This machine does not trust the certificate authority of the public address.',
    todo: 'With a private authority, start the server with NODE_EXTRA_CA_CERTS set to its root certificate, and install that in every browser. With a public one, make the reverse proxy send the whole chain.',
  },
  TLS04: {
    means:
      'Over plain HTTP a page of an instance can set cookies for the console, and so sign its visitors in as somebody else.',
    todo: 'Set FORGE_BASE_URL to an https:// address, or FORGE_INSTANCE_DOMAIN to a different registered domain.',
  },
  TIME01: {
    means: 'The clocks of the database and of this machine differ. Links, sessions and codes expire at the wrong time.',
    todo: 'Synchronise both with a time server, for example with chrony or systemd-timesyncd.',
  },
  TIME02: {
    means: 'The clock of this machine was changed while the server ran. Codes of authenticator apps may be refused.',
    todo: 'Synchronise the machine with a time server, for example with chrony or systemd-timesyncd.',
  },
  SSO01: {
    means:
      'A signing certificate of a SAML provider expires within 30 days, or has expired, and no later one is entered. Nobody can sign in once the provider uses its new one.',
    todo: 'Open Settings, SSO and the configuration. Import the metadata of the provider again, or enter its new certificate as Next certificate.',
  },
  PASS01: {
    means:
      'Passkeys belong to another host name than that of FORGE_BASE_URL. Browsers do not offer them, so their owners sign in with an app or a recovery code.',
    todo: 'Ask these people to add a new passkey under Security. Remove the second factors of whoever has no other under Users. With the former name in FORGE_BASE_URL their passkeys work again.',
  },
  ADDR01: {
    means: 'The platform does not answer at its public address, as seen from this machine.',
    todo: 'Check that FORGE_BASE_URL is what people type, that DNS resolves it here, and that the reverse proxy forwards to FORGE_PORT with an unchanged Host header.',
  },
  ADDR02: {
    means: 'WebSockets fail at the public address: editors show no live updates.',
    todo: 'Make the reverse proxy forward the Upgrade and Connection headers.',
  },
  ADDR05: {
    means: 'This machine cannot resolve the host name of FORGE_BASE_URL, so the public address cannot be checked.',
    todo: 'Add the name to DNS or to /etc/hosts. If people reach the platform, nothing else is wrong.',
  },
  ADDR03: {
    means: 'Host names of instances do not lead to this server, so editors and flows cannot be reached.',
    todo: 'Add a wildcard DNS entry below FORGE_INSTANCE_DOMAIN, and make the reverse proxy forward it with an unchanged Host header.',
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
      'The reverse proxy is not trusted, so everybody behind it shares its address, and sign-in rate limits apply to all of them together.',
    todo: 'If the proxy runs on this machine, set FORGE_PROXY_SECRET and make the proxy send it as X-Forge-Proxy-Secret. Otherwise add its address to FORGE_TRUST_PROXY.',
  },
  PROXY02: {
    means:
      'The reverse proxy does not send client addresses, so everybody behind it shares its address, and sign-in rate limits apply to all of them together.',
    todo: 'Make the proxy set X-Forwarded-For to the connecting address (nginx: proxy_set_header X-Forwarded-For $remote_addr).',
  },
  PROXY03: {
    means:
      'Client addresses are trusted from sources that others can use, such as flows on this machine. They can bypass sign-in rate limits and forge addresses in the audit log.',
    todo: 'List only your reverse proxies in FORGE_TRUST_PROXY. For a proxy on this machine set FORGE_PROXY_SECRET, and remove loopback from FORGE_TRUST_PROXY.',
  },
  PROXY04: {
    means: 'The reverse proxy refuses large requests, so imports of flows and restores in the browser fail with 413.',
    todo: 'Allow request bodies of 64 MB in the proxy, and more for restores in the browser (nginx: client_max_body_size 64m).',
  },
  PROXY05: {
    means: 'The reverse proxy buffers responses, so streams from flows arrive late.',
    todo: 'Turn its response buffering off (nginx: proxy_http_version 1.1 and proxy_buffering off).',
  },
  BROKER01: {
    means:
      'The server has no connection to the MQTT broker, so devices are told nothing and their logs and editors cannot be opened.',
    todo: 'With FORGE_BROKER_URL: check that the broker runs, its address, and that it lets forge_platform in with FORGE_BROKER_PASSWORD. With the embedded broker: see FORGE_HOME/broker/output.log.',
  },
  BROKER02: {
    means: 'Mosquitto does not take changes of users, so new devices cannot connect and deleted ones still can.',
    todo: 'Make forge_platform the administrator of its dynamic security plugin (docs/devices.md), and look into the log of Mosquitto. The server tries again every few seconds.',
  },
  CHECK01: {
    means: 'This check could not run.',
    todo: 'The server log gives the reason at "health check failed". Check again; if it persists, it is a defect of the platform.',
  },
} as const satisfies Record<string, HealthCode>

export type HealthCodeName = keyof typeof healthCodes
