// The bar at the bottom belongs to the game on the table: it makes room while an exercise or a review is in the middle of the
// screen.
const shown = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting && target.childElementCount) shown.add(target);
    else shown.delete(target);
  }
  document.body.classList.toggle("studying", shown.size > 0);
}, { rootMargin: "-45% 0px -45% 0px" });

export const makeRoomFor = (element) => observer.observe(element);
