/** Cuts long answers that hold resources which others wait for. */

/** Cuts the stream when the client reads nothing for `pauseMsMax`. */
export async function* cutWhenIdle<T>(
  items: AsyncGenerator<T>,
  pauseMsMax: number,
  cut: () => void,
): AsyncGenerator<T> {
  for await (const item of items) {
    const timer = setTimeout(cut, pauseMsMax).unref();
    try {
      yield item;
    } finally {
      clearTimeout(timer);
    }
  }
}
