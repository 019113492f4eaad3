import { healthCodes } from '@app/contract'

const intro = `# Health

Written by \`npm run gen\`: the words stand in tools/gen/health.ts, the codes in packages/contract/src/health.codes.ts.

## The page

Administrators open *Admin Settings → Health*. The page checks each part of the platform when it is opened, at most once a
minute, and on demand. Each problem has a code, and the tables below explain it.

![The Health page with one warning](images/health.png)

The server requests its public address as a browser would: over the network, under FORGE_BASE_URL, by HTTP and WebSocket.
An answer does not prove that every network outside gets one.

## For programs

| Address | Answers |
| --- | --- |
| /livez | 200 as long as the process runs. Restart it when this does not answer. |
| /readyz | 200 once the schema is up to date and the instances of the former run are found again, as long as the database answers and takes writes, and the server was not told to stop; 503 otherwise, with the reason \`starting\`, \`stopping\`, \`restoring\`, \`database\` or \`database_read_only\`. Send it no requests then. On a full disk the answer stays 200 and has \`"disk":"full"\`, since people must get in to make room. |
| /readyz/instances | 200 on the server that runs the instances, 503 on any other: see [servers](servers.md#several-servers). |
| /metrics | Figures in the text format of Prometheus, for who sends \`Authorization: Bearer <FORGE_METRICS_TOKEN>\`. Without that setting there is nothing at this address. |

Requests are counted by call of the API, method and class of status, so that there are never more series than calls.
Requests to instances are not counted.

| Figure | Says |
| --- | --- |
| flowforge_jobs{state} | Jobs that are \`queued\`, \`running\` or \`failed\`; failed ones stay on record for a while |
| flowforge_jobs_oldest_queued_seconds | Age of the job that has waited longest; 0 when none waits |
| flowforge_mails_total{result} | Attempts of this server since its start: \`sent\`, \`postponed\`, \`given_up\` |
| flowforge_mails_waiting, flowforge_mails_oldest_waiting_seconds | Mails not sent yet, and the age of the oldest |
| flowforge_disk_size_bytes, flowforge_disk_free_bytes | The disk with FORGE_HOME, and what the server may still write there |
| flowforge_certificate_expiry_timestamp_seconds | When the certificate of an https FORGE_BASE_URL expires; looked at once an hour |
| flowforge_backup_newest_timestamp_seconds, flowforge_backup_newest_size_bytes, flowforge_backup_newest_duration_seconds | The newest backup in FORGE_HOME of this server: when it was made, how large it is, how long it took |
| flowforge_backup_last_success | 1 when the last backup that was asked for was made, 0 when it failed |
| flowforge_backups_damaged | Backups whose file is no longer as it was made |

Alert on \`flowforge_backup_last_success == 0\`, \`time() - flowforge_backup_newest_timestamp_seconds > 172800\`,
\`flowforge_certificate_expiry_timestamp_seconds - time() < 1209600\`, \`flowforge_jobs_oldest_queued_seconds > 900\` and
\`flowforge_mails_oldest_waiting_seconds > 3600\`.

\`docs/grafana.json\`, in the package and in the repository, is a dashboard for Grafana: **Dashboards → New → Import**. It asks
for a data source of Prometheus that reads /metrics.

## Commands on the server

On the machine of the platform, as the user of the server and with its settings:

| Command | Does |
| --- | --- |
| \`npm run admin -- rotate-key\` | Replaces the master key while servers run; run it again if it was cut off |
| \`npm run admin -- stop-instances\` | Ends all instances, and none is started until \`start-instances\` |
| \`npm run admin -- forget-former\` | Takes away the finding HOST02 about a machine that is gone for good |
| \`npm run admin -- reset-password <user>\` | Prints a link with which the user sets a new password, once, within a day |
| \`npm run admin -- reset-second-factor <user>\` | Takes the second factors away and ends the sessions |
| \`npm run admin -- make-admin <user>\` | Makes the user an administrator |
| \`npm run admin -- lift-suspension <user>\` | Lets a suspended user sign in again |

Commands for a user are recorded in the audit log of that user, as done from the shell of the server.

## Jobs

The page Jobs shows what is open and what has failed. A failed job can be tried again as long as no other has followed
for the same instance or stack: what it had done stays done. One that waits can be cancelled; one that is being worked
on only when it has been stuck for 15 minutes, since what it has begun goes on until it ends by itself.

## Codes
`

/** The handbook page about health, with every code. */
export function healthPage(): string {
  const rows = Object.entries(healthCodes).map(([code, { means, todo }]) => `| \`${code}\` | ${means} | ${todo} |`)
  return `${intro}\n| Code | Means | What to do |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}
