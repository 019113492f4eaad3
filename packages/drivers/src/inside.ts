import { DriverError } from './driver.ts'

/** @throws DriverError `invalid_path` for the path of a file that would lie outside the folder of its instance. */
export function checkInside(path: string): void {
  const isName = (name: string) => name !== '' && name !== '.' && name !== '..' && name.length < 256
  if (path.length < 4096 && !path.includes('\0') && path.split('/').every(isName)) return
  throw new DriverError('invalid_path', 'A file would lie outside the folder of its instance')
}
