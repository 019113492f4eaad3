import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { admin, answer, button, field, openConsole, screens, sees, shot } from './harness/index.ts'

const { platform, visitors } = await openConsole()

const openAdmin = async (path: string) => {
  const { page } = await visitors.open(platform(), await platform().people.signIn(admin.username, admin.password))
  await page.goto(`/admin/${path}`)
  return page
}
const job = (id: string, more: object) => ({
  id,
  kind: 'instance.start',
  title: 'Start instance',
  name: id,
  subject: id,
  state: 'failed',
  createdAt: '2026-11-01T10:00:00.000Z',
  steps: [{ name: 'Install modules', state: 'failed' }],
  stuck: false,
  canRetry: false,
  canCancel: false,
  ...more,
})

test('An administrator sees how each part of the platform does, and has it checked again', async () => {
  const page = await openAdmin('health')
  const parts = page.getByRole('list', { name: 'Parts of the platform' })
  const part = (name: string) =>
    parts.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
  await sees(part('Database').getByText('OK'), part('Public address').getByText('also by WebSocket'))
  await sees(part('Mail').getByText('MAIL01'), part('Mail').getByText('Set FORGE_SMTP_URL'))
  await shot(page, 'admin-health')
  await button(page, 'Check again').click()
  await sees(part('Database').getByText('OK'))
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await sees(page.getByRole('heading', { name: 'Jobs', level: 1 }), page.getByText('No running or failed jobs'))
})

test('An administrator cancels a job that is stuck, and tries one that failed again', async () => {
  const page = await openAdmin('jobs')
  const reason = `npm ERR! 404 Not Found - GET https://registry.example.com/${'node-red-contrib-'.repeat(5)}oven`
  await answer(page, 'GET /api/v1/admin/jobs', 200, {
    jobs: [
      job('oven', {
        state: 'running',
        steps: [{ name: 'Start Node-RED', state: 'running' }],
        stuck: true,
        canCancel: true,
      }),
      job('mill', { state: 'queued', steps: [], canCancel: true }),
      job('an-instance-with-one-of-the-longest-names-of-all', { error: reason, canRetry: true }),
    ],
  })
  await page.reload()
  const jobs = page.getByRole('table', { name: 'Jobs' })
  const row = (text: string) => jobs.getByRole('row').filter({ hasText: text })
  await sees(row('oven').getByText('Stuck'), row('mill').getByText('Waiting'), row('longest').getByText('Failed'))
  await sees(row('longest').getByText(`Install modules: ${reason}`))
  await shot(page, 'admin-jobs')
  const asked: string[] = []
  page.on('request', (call) => void (call.method() === 'POST' && asked.push(new URL(call.url()).pathname)))
  await page.route('**/api/v1/admin/jobs/*/*', (route) => route.fulfill({ json: job('oven', {}) }))
  await button(page, 'Cancel: Start instance oven').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel Job' }).click()
  await sees(screens.toast(page, 'The job was cancelled.'))
  await row('longest')
    .getByRole('button', { name: /^Try again: / })
    .click()
  await sees(screens.toast(page, 'Retrying the job.'))
  expect(asked).toEqual([
    '/api/v1/admin/jobs/oven/cancel',
    '/api/v1/admin/jobs/an-instance-with-one-of-the-longest-names-of-all/retry',
  ])
})

test('An administrator makes, downloads and deletes a backup', async () => {
  const page = await openAdmin('backups')
  await sees(page.getByText('No backups on this server'))
  await button(page, 'Make Backup').click()
  await field(page, 'Passphrase').fill('four words of mine')
  await field(page, 'Repeat the passphrase').fill('four words of yours')
  await page.getByRole('dialog').getByRole('button', { name: 'Make Backup' }).click()
  await sees(page.getByText('The passphrases do not match'))
  await field(page, 'Repeat the passphrase').fill('four words of mine')
  await page.getByRole('dialog').getByRole('button', { name: 'Make Backup' }).click()
  const download = page.getByRole('link', { name: /^Download flowforge-/ })
  await sees(download)
  await shot(page, 'admin-backups')
  const [file] = await Promise.all([page.waitForEvent('download'), download.click()])
  expect((await readFile(await file.path())).subarray(0, 18).toString()).toBe('age-encryption.org')
  await page.getByRole('button', { name: /^Delete flowforge-/ }).click()
  await button(page, 'Delete').click()
  await sees(screens.toast(page, 'Backup deleted.'), page.getByText('No backups on this server'))
})

test('A folder of backups that cannot be read says so, and a failed backup is tried again', async () => {
  const page = await openAdmin('health')
  const unreadable = '/srv/flowforge/backups cannot be read (EACCES). Give it to the user of the server'
  const failed = job('night', { title: 'Back up the platform', error: unreadable })
  await answer(page, 'GET /api/v1/admin/backups', 200, { backups: [], unreadable, job: failed, canRetry: true })
  const retried = Promise.withResolvers<void>()
  await page.route('**/api/v1/admin/jobs/night/retry', (route) => {
    retried.resolve()
    return route.fulfill({ json: failed })
  })
  await page.getByRole('link', { name: 'Backups' }).click()
  await sees(page.getByText('The folder of backups cannot be read'), page.getByText(unreadable).first())
  expect(await page.getByText('No backups on this server').count()).toBe(0)
  await shot(page, 'admin-backups-unreadable')
  await button(page, 'Try again').click()
  await retried.promise
})

test('Nobody else sees how the platform does', async () => {
  const { people } = platform()
  people.add('carol')
  const { page } = await visitors.open(platform(), await people.signIn('carol', admin.password))
  await page.goto('/admin/health')
  await sees(page.getByText('Only administrators of the platform see these pages.'))
})
