import { spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, labelled } from '../../apps/server/testing/index.ts'
import { button, field, openWorkshop, screens, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')

/** A machine without root and without a service manager, on which lines of a shell are run. */
async function openMachine() {
  const folder = await mkdtemp(join(tmpdir(), 'forge-onboarding-'))
  const dir = join(folder, 'state')
  const port = await freePort()
  mkdirSync(dir)
  writeFileSync(join(dir, 'device.yml'), `port: ${port}\ninterval: 0.5\n`)
  const pids: number[] = []
  const end = (pid: number) => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  onTestFinished(async () => {
    pids.forEach(end)
    for (const path of globSync('nodered/instances/*/record.json', { cwd: dir }))
      end((JSON.parse(readFileSync(join(dir, path), 'utf8')) as { pid: number }).pid)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    /** In the place of `sudo`, with folders of its own. */
    run(line: string): void {
      const own = line.replace('sudo sh -s --', `sh -s -- --prefix '${folder}/opt' --dir '${dir}' --no-service`)
      const child = spawn('/bin/sh', ['-c', own], {
        detached: true,
        stdio: 'ignore',
        env: { PATH: process.env.PATH, HOME: folder },
      })
      pids.push(child.pid!)
    },
    word: () =>
      fetch(`http://127.0.0.1:${port}/word`).then(
        async (answer) => answer.text(),
        () => '',
      ),
  }
}

test('A person adds a device, copies its line to a machine, and sees it connect and run the flows of an instance', async () => {
  const { client } = owner
  const machine = await openMachine()
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/team/${team.slug}/devices`)
  await button(page, 'Add Device').first().click()
  await field(page, 'Name').fill('Oven 3')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  const shown = page.getByRole('dialog', { name: 'Device Credentials' })
  await sees(shown.getByText('Waiting for the device to connect...'))
  machine.run(await shown.getByLabel('Commands').innerText())
  await shown.getByText('Connected.').waitFor({ timeout: 60_000 })
  await sees(shown.getByText(/Oven 3 called and is stopped\. Agent \d/))
  await shot(page, 'device-onboarding-connected')
  await shown.getByRole('button', { name: 'Done' }).click()

  const flows = labelled('first') as Record<string, unknown>[]
  const body = { name: 'First', flows, setAsTarget: true }
  await client.call('snapshot.create', { params: { instanceId: instance.id }, body })
  await screens.menu.choose(page, /^Actions for Oven 3$/, 'Add to Instance')
  const dialog = page.getByRole('dialog')
  await shot(page, 'device-onboarding-assign')
  await field(page, 'Application').click()
  await page.getByRole('option', { name: 'Oven line' }).click()
  await expect.poll(() => field(page, 'Instance').innerText()).toBe('oven-line')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect.poll(machine.word, { timeout: 90_000 }).toBe('first')
  await page.getByRole('link', { name: 'Oven 3' }).click()
  await sees(page.getByText('running').first(), page.getByText('Deployed Snapshot'), page.getByText('First').first())
  await shot(page, 'device-onboarding-running')
})
