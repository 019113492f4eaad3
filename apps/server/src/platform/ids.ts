import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuv'
let last = 0

/** Milliseconds that never repeat within this process, so that ids made here sort by creation. */
function tick(): number {
  last = Math.max(Date.now(), last + 1)
  return last
}

/** A 20-character id that sorts by creation: 9 characters of time, 11 (55 bits) of chance. */
export function newId(): string {
  let time = tick()
  let head = ''
  for (let i = 0; i < 9; i++) {
    head = alphabet[time % 32] + head
    time = Math.floor(time / 32)
  }
  return head + Array.from(randomBytes(11), (byte) => alphabet[byte % 32]).join('')
}

/** A UUID of version 7, for what shows its id as a UUID on the wire. */
export function newUuid(): string {
  const time = tick().toString(16).padStart(12, '0')
  const bytes = randomBytes(10)
  bytes[0] = (bytes[0]! & 0x0f) | 0x70
  bytes[2] = (bytes[2]! & 0x3f) | 0x80
  const tail = bytes.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`
}
