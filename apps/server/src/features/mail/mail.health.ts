import { connect } from 'node:net'
import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Finding, type Look, off, warning } from '../../platform/health/check.ts'
import { type Figure, figure } from '../../platform/health/figures.ts'
import { countMails, countWaitingMails } from './mail.store.ts'

const connectMs = 5_000

export interface MailSituation {
  server?: { host: string; port: number }
  /** Mails that were tried in vain at least once. */
  waiting: number
}

export async function checkMail({ server, waiting }: MailSituation): Promise<Finding> {
  if (!server) return off('No mail server is set.', 'MAIL01')
  const at = `${server.host}:${server.port}`
  if (!(await answers(server))) return broken('MAIL03', `${at} does not answer.`)
  if (waiting > 0)
    return warning(
      'MAIL02',
      `${at} answers; ${waiting === 1 ? '1 mail waits' : `${waiting} mails wait`} to be tried again.`,
    )
  return fine(`${at} answers, and no mail waits.`)
}

function answers({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs })
    const end = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

export function mailChecks({ config, database }: Pick<Services, 'config' | 'database'>): Look[] {
  async function run(): Promise<Finding> {
    const waiting = await countWaitingMails(database.read)
    return checkMail({ ...(config.mail && { server: config.mail }), waiting })
  }
  return [{ part: 'Mail', run }]
}

/** Figures by which a monitoring system tells that mail does not get through. */
export async function mailFigures({
  mail,
  database,
  clock,
}: Pick<Services, 'mail' | 'database' | 'clock'>): Promise<Figure[]> {
  const { sent, postponed, givenUp } = mail.counts()
  const { waiting, oldest } = await countMails(database.read)
  return [
    figure('flowforge_mails_total', 'counter', 'Attempts of this server to send a mail, by their result.', [
      [sent, { result: 'sent' }],
      [postponed, { result: 'postponed' }],
      [givenUp, { result: 'given_up' }],
    ]),
    figure('flowforge_mails_waiting', 'gauge', 'Mails that are not sent yet.', [[waiting]]),
    figure('flowforge_mails_oldest_waiting_seconds', 'gauge', 'Age of the mail that has waited longest.', [
      [oldest === undefined ? 0 : Math.max(0, (clock.now() - oldest) / 1000)],
    ]),
  ]
}
