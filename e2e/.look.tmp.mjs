import { AxeBuilder } from '@axe-core/playwright'
import { chromium } from 'playwright-core'
import { readFileSync } from 'node:fs'
const world = JSON.parse(readFileSync('/tmp/world.json'))
const only = process.argv.slice(2)
const i = world.instances
const pages = [
  ['applications', 'owner', `/team/${world.slug}/applications`],
  ['applications-search', 'owner', `/team/${world.slug}/applications?q=staging`],
  ['applications-empty', 'owner', `/team/${world.empty}/applications`],
  ['applications-viewer', 'viewer', `/team/${world.slug}/applications`],
  ['applications-dashboard', 'dashboard', `/team/${world.slug}/applications`],
  ['applications-visiting', 'admin', `/team/${world.slug}/applications`],
  ['instances', 'owner', `/team/${world.slug}/instances`],
  ['instances-empty', 'owner', `/team/${world.empty}/instances`],
  ['instances-nothing', 'owner', `/team/${world.slug}/instances?q=zzz`],
  ['create-application', 'owner', `/team/${world.slug}/applications/create`],
  ['create-instance', 'owner', `/team/${world.slug}/instances/create`],
  ['create-instance-viewer', 'viewer', `/team/${world.slug}/instances/create`],
  ['create-team', 'admin', `/team/create`],
  ['create-team-denied', 'viewer', `/team/create`],
  ['application', 'owner', `/application/${world.oven}/instances`],
  ['application-created', 'owner', `/application/${world.oven}/instances?created=${i['oven-line-prod'].id}`],
  ['application-empty', 'owner', `/application/${world.energy}/instances`],
  ['application-logs', 'owner', `/application/${world.oven}/logs?instance=${i['oven-line-prod'].id}`],
  ['application-activity', 'owner', `/application/${world.oven}/activity`],
  ['application-logs-empty', 'owner', `/application/${world.energy}/logs`],
  ['instance', 'owner', `/instance/${i['oven-line-prod'].id}`],
  ['instance-crashed', 'owner', `/instance/${i['cold-store-alarms'].id}/overview`],
  ['instance-visiting', 'admin', `/instance/${i['oven-line-prod'].id}/overview`],
  ['instance-logs', 'owner', `/instance/${i['oven-line-prod'].id}/logs`],
  ['instance-logs-suspended', 'owner', `/instance/${i['oven-line-dev'].id}/logs`],
  ['instance-audit', 'owner', `/instance/${i['oven-line-prod'].id}/audit-log`],
  ['instance-dashboard', 'dashboard', `/instance/${i['oven-line-prod'].id}/overview`],
  ['team-audit', 'owner', `/team/${world.slug}/audit-log`],
]
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
for (const [name, who, path] of pages) {
  if (only.length && !only.includes(name)) continue
  const [n, v] = world.cookies[who].split('=')
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
  await context.addCookies([{ name: n, value: v, url: world.url }])
  const page = await context.newPage()
  page.on('console', (m) => m.type() === 'error' && console.log(name, 'console:', m.text()))
  page.on('pageerror', (e) => console.log(name, 'pageerror:', e.message))
  await page.goto(world.url + path)
  await page.waitForTimeout(900)
  for (const [size, w, h] of [['1440', 1440, 900], ['390', 390, 844]]) {
    await page.setViewportSize({ width: w, height: h })
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme })
      await page.waitForTimeout(60)
      await page.screenshot({ path: `/tmp/pshots/${name}-${size}-${theme}.png` })
      if (size === '390' && theme === 'dark') continue
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
      for (const x of violations) console.log(`AXE ${name} ${size} ${theme} ${x.id} (${x.impact}): ${x.nodes.map((node) => node.html.slice(0, 140)).slice(0, 3).join(' | ')}`)
    }
  }
  await page.setViewportSize({ width: 360, height: 844 })
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  if (wide > 360) console.log(`WIDE ${name} ${wide}`)
  console.log(name, '-', await page.title())
  await context.close()
}
await browser.close()
