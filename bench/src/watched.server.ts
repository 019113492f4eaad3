import { startServer, until } from '@app/server/testing'

/*
 * A server that watches as many instances as the argument says. They are those of the driver of tests, which has no processes;
 * it tells what they use, with a load that changes. Says `ready` once they run, and ends with its input.
 */
const count = Number(process.argv[2])
const teams = 20
const server = await startServer()
const { build, driver } = server
const owner = await build.user()
const ids: string[] = []
for (let at = 0; at < teams; at++) {
  const application = await build.application(owner, await build.team(owner))
  for (let one = 0; one < count / teams; one++) ids.push((await build.instance(owner, application)).id)
}
await until(
  () => Promise.all(ids.map((id) => driver.status(id))),
  (all) => all.every(({ state }) => state === 'running'),
)
let used = 0
const beats = setInterval(() => {
  used += 2
  for (const id of ids) driver.script.setUsage(id, { cpuMs: used, memoryMb: 80 + (used % 20) })
}, 1_000)
console.log('ready')
await new Promise((resolve) => process.stdin.resume().on('end', resolve))
clearInterval(beats)
await server.stop()
