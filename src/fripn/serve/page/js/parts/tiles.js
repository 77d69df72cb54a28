// Map tiles below the routes, where the service names an address for them.

const SIZE = 256;
const KEPT = 300;
const images = new Map();

/** Draw the tiles in sight; `onLoad` is called when one arrives. */
export const drawTiles = (pen, view, wide, high, url, onLoad) => {
  const zoom = Math.max(0, Math.min(19, Math.round(Math.log2(view.k / SIZE))));
  const count = 2 ** zoom;
  const width = view.k / count;
  const first = [Math.floor(-view.x / width), Math.floor(-view.y / width)];
  const last = [Math.floor((wide - view.x) / width), Math.floor((high - view.y) / width)];
  pen.globalAlpha = 0.7;
  for (let column = Math.max(0, first[0]); column <= Math.min(count - 1, last[0]); column += 1) {
    for (let row = Math.max(0, first[1]); row <= Math.min(count - 1, last[1]); row += 1) {
      const address = url.replace("{z}", zoom).replace("{x}", column).replace("{y}", row);
      let image = images.get(address);
      if (!image) {
        image = new Image();
        image.referrerPolicy = "origin";
        image.onload = onLoad;
        image.src = address;
        images.set(address, image);
        if (images.size > KEPT) images.delete(images.keys().next().value);
      }
      if (image.complete && image.naturalWidth) {
        pen.drawImage(image, column * width + view.x, row * width + view.y, width + 0.5, width + 0.5);
      }
    }
  }
  pen.globalAlpha = 1;
};
