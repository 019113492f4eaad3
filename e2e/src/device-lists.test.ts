import { expect, test } from 'vitest'
import { startRunningDevice } from '../../apps/server/testing/index.ts'
import { button, openWorkshop, field, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team } = await openWorkshop('oven-line')

const add = async (name: string) => owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })

const running = async (name: string) =>
  (await startRunningDevice({ address: `http://127.0.0.1:${platform().port}`, owner, team }, { name })).agent

test('[DEV-67] [DEV-68] Selected devices are tagged and restarted together; the list is narrowed to a tag, and its link shows a colleague the same', async () => {
  const agents = [await running('Oven 1'), await running('Oven 2')]
  await add('Oven 3')
  await add('Press 1')
  const { page } = await visitors.open(platform(), owner)
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  const toast = (text: string) => sees(page.getByText(text).first())
  const select = async (...names: string[]) => {
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  }
  await page.goto(`/team/${team.slug}/devices`)
  await select('Oven 1', 'Oven 2', 'Oven 3')
  await button(page, 'Add Tag').click()
  await field(page, 'Tag').fill(' , ')
  expect(await button(page, 'Add').isDisabled()).toBe(true)
  await field(page, 'Tag').fill('Two words#')
  await field(page, 'Tag').blur()
  await sees(page.getByText('words#: A tag is one word of letters, digits and . _ : -'))
  await field(page, 'Tag').fill('Bakery floor-2')
  await shot(page, 'devices-tag-add')
  await button(page, 'Add').click()
  await toast('3 devices changed.')
  await sees(row('Oven 3').getByText('bakery', { exact: true }))
  expect(await page.getByRole('columnheader').allInnerTexts()).toContain('Tags')

  await page.getByRole('combobox', { name: 'Tag' }).click()
  await page.getByRole('option', { name: 'floor-2' }).click()
  await page.waitForURL('**/devices?tag=floor-2')
  await row('Press 1').waitFor({ state: 'detached' })
  const colleague = await visitors.open(platform(), owner)
  await colleague.page.goto(page.url())
  await sees(colleague.page.getByRole('row').filter({ hasText: 'Oven 2' }))
  expect(await colleague.page.getByRole('row').filter({ hasText: 'Press 1' }).count()).toBe(0)
  await select('Oven 1', 'Oven 2', 'Oven 3')
  await shot(page, 'devices-tagged')

  await button(page, 'Restart').click()
  await shot(page, 'devices-restart')
  await page.getByRole('alertdialog', { name: 'Restart 3 devices' }).getByRole('button', { name: 'Restart' }).click()
  await toast('2 devices told to restart.')
  await toast('1 device could not be told to restart.')
  await sees(page.getByText(/Oven 3: The device is offline/).first())
  // The device that could not be told stays selected, to be tried again.
  const bar = page.getByRole('region', { name: 'Selected devices' })
  await sees(bar.getByText('1 selected'))
  expect(await page.getByRole('checkbox', { name: 'Select Oven 3' }).isChecked()).toBe(true)
  await button(page, 'Clear').press('Enter')
  await bar.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  for (const { commands } of agents)
    expect(commands.filter(({ command }) => command === 'action')).toMatchObject([{ payload: { action: 'restart' } }])

  await select('Oven 1', 'Oven 2')
  await button(page, 'Remove Tag').click()
  await field(page, 'Tag').last().click()
  await page.getByRole('option', { name: 'floor-2' }).click()
  await button(page, 'Remove').click()
  await toast('2 devices changed.')
  await row('Oven 1').waitFor({ state: 'detached' })
  await button(page, 'Show devices with the tag bakery').click()
  await page.waitForURL('**/devices?tag=bakery')
  await sees(row('Oven 1'), row('Oven 3'))
  await page.getByPlaceholder('Search Devices').fill('floor')
  await row('Oven 1').waitFor({ state: 'detached' })
  await sees(row('Oven 3'))
})

test('[DEV-67] The tags of one device are edited with its name and type', async () => {
  const { id } = await add('Mixer 1')
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/device/${id}/settings/general`)
  await button(page, 'Edit Details').click()
  await field(page, 'Tags').fill('kitchen, LINE:3')
  await shot(page, 'device-tags')
  await button(page, 'Save').click()
  await sees(page.getByText('line:3', { exact: true }), page.getByText('kitchen', { exact: true }))
  await button(page, 'Edit Details').click()
  await expect.poll(() => field(page, 'Tags').inputValue()).toBe('kitchen line:3')
})

test('[DEV-10] [DEV-67] A name of one long word and many tags leave the other columns of a device in sight', async () => {
  const { id } = await add('Gateway_of_the_second_packing_line_beside_the_north_gate_001')
  const tags = Array.from({ length: 10 }, (_, n) => `temperature-of-the-oven-line-${n}`)
  await owner.client.call('device.update', { params: { deviceId: id }, body: { tags } })
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/team/${team.slug}/devices?q=Gateway`)
  await sees(button(page, `Show devices with the tag ${tags[0]}`), page.getByText('+7'))
  await expect.poll(() => page.getByText(`and ${tags.slice(3).join(', ')}`).count()).toBe(1)
  const wide = await page.getByRole('table').evaluate((it) => [it.scrollWidth, it.parentElement!.clientWidth])
  expect(wide[0]).toBeLessThanOrEqual(wide[1])
  await shot(page, 'devices-long-name')
  await page.goto(`/team/${team.slug}/devices?tag=nowhere`)
  await sees(page.getByText('No device has the tag nowhere.'))
})
