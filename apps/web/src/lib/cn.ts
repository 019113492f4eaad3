export { clsx as cn, type ClassValue } from 'clsx'
